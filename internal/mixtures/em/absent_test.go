package em

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm"
)

// from is a group in which totals with a given key include this participant's vectors.
type from struct {
	collabdict.Solo
	key  string // "" for none, "*" for all
	last *string
}

func (f from) Sum(ctx context.Context, s collabdict.Summand) ([]float64, error) {
	*f.last = s.Running.Key
	return f.Solo.Sum(ctx, s)
}

func (f from) Membership() collabdict.Membership {
	return collabdict.Membership{Size: 1, Included: f.key == "*" || f.key == *f.last, Steady: true}
}

// A participant that drops out after the start keeps the weights of its vector in the total,
// even if it has computed another vector. A restarted process reads the total without that other
// vector, and must get the same weights. A participant whose vector was never counted fits its
// own weights.
func TestWeightsFollowFromWhatIsCounted(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	x := mat.NewDense(60, 2, nil)
	for i := range 60 {
		x.SetRow(i, []float64{rng.NormFloat64() + float64(i%3/2*6), rng.NormFloat64()})
	}
	for key, in := range map[string]bool{"*": true, statisticsKey: true, startKey: true, "": false} {
		l, err := NewLearner(gmm.Matrix(x), Config{Components: 2, Rho: 1})
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Start(t.Context(), from{key: key, last: new(string)}); err != nil {
			t.Fatal(err)
		}
		before := l.Model().Weights()
		summand, err := l.LocalUpdate()
		if err != nil {
			t.Fatal(err)
		}
		total := summand.Values
		if _, err := l.Optimize(total, false); err != nil {
			t.Fatal(err)
		}
		if after := l.Model().Weights(); slices.Equal(after, before) != in {
			t.Errorf("counted in %q of the start; weights %v, and %v after one more total without it", key, before, after)
		}
	}
}
