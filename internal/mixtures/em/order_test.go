package em

import (
	"testing"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/testkit"
)

// Weights are computed from sums in the order of the components. The order of gonum's sums differs
// between builds.
func TestWeightsHaveTheBitsOfAnyBuild(t *testing.T) {
	const k = 13
	l, err := NewLearner(gmm.Matrix(testkit.Patterns(700, 3, 5, 2)), Config{Components: k, Rho: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Start(t.Context(), collabdict.Solo{}); err != nil {
		t.Fatal(err)
	}
	for round := range 10 {
		summand, err := l.LocalUpdate()
		if err != nil {
			t.Fatal(err)
		}
		total := summand.Values
		if _, err := l.Optimize(total, true); err != nil {
			t.Fatal(err)
		}
		n, want := 0.0, make([]float64, k)
		for _, v := range total[1 : 1+k] {
			n += v
		}
		for i, v := range total[1 : 1+k] {
			want[i] = v * (1 / n)
		}
		if got := l.Model().Weights(); !testkit.SameBits(got, want) {
			t.Fatalf("round %d: weights %v, want %v", round+1, got, want)
		}
	}
}
