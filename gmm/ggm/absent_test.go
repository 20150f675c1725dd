package ggm

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm"
)

// from is a group whose first totals have this participant's vectors, or have not.
type from struct {
	collabdict.Solo
	in bool
}

func (from) TakeMissed() ([]float64, bool) { return nil, false }
func (f from) Included() bool              { return f.in }
func (from) Steady() bool                  { return true }

// The weights of a participant that is lost after the start stay those of its vector in the
// total, whether or not it has computed another one: a process that was started again takes
// the total without that, and is to have the same weights. One of which no vector was ever
// counted fits its own.
func TestWeightsFollowFromWhatIsCounted(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	x := mat.NewDense(60, 2, nil)
	for i := range 60 {
		x.SetRow(i, []float64{rng.NormFloat64() + float64(i%3/2*6), rng.NormFloat64()})
	}
	for _, in := range []bool{true, false} {
		l, err := NewLearner(gmm.Matrix(x), Config{Components: 2, Rho: 1})
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Start(t.Context(), from{in: in}); err != nil {
			t.Fatal(err)
		}
		before := l.Model().Weights()
		total, _, err := l.LocalUpdate()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.Optimize(total, false); err != nil {
			t.Fatal(err)
		}
		if after := l.Model().Weights(); slices.Equal(after, before) != in {
			t.Errorf("counted in the start: %v; weights %v, after a round without it %v", in, before, after)
		}
	}
}
