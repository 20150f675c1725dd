package em

import (
	"math"
	"testing"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/testkit"
)

// crowd is a group of one that reports the size of a large group.
type crowd struct{ collabdict.Solo }

func (crowd) Membership() collabdict.Membership {
	return collabdict.Membership{Size: 1000, Included: true, Steady: true}
}

// In a large group the start takes fewer sums, and the result is as good.
func TestStartInALargeGroup(t *testing.T) {
	for n := range uint64(8) {
		x := testkit.Patterns(400, 3, 4, n)
		var objectives []float64
		var sums []int
		for _, g := range []collabdict.Group{collabdict.Solo{}, crowd{}} {
			l, _ := NewLearner(gmm.Matrix(x), Config{Components: 5, Seed: n})
			last, err := collabdict.Train(t.Context(), g, l, collabdict.Options{Rounds: 60, Tol: 1e-6})
			if err != nil {
				t.Fatal(err)
			}
			objectives, sums = append(objectives, last.Objective), append(sums, l.SetupSums())
		}
		testkit.Near(t, "objective", objectives[1], objectives[0], 1e-3*math.Abs(objectives[0]))
		if sums[1] > sums[0]-lloydSteps+fewSteps+1 { // the bounds take one more
			t.Errorf("%d sums, %d in a small group", sums[1], sums[0])
		}
	}
}
