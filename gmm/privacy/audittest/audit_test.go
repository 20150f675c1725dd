package audittest

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/collabdict/collabdict/gmm/privacy"
)

// The audit of normal noise comes close to the known ε, from below.
func TestNormalNoise(t *testing.T) {
	normal := func(mean float64) func(rand.Source) float64 {
		return func(src rand.Source) float64 { return mean + rand.New(src).NormFloat64() }
	}
	for _, apart := range []float64{0.5, 1, 2} {
		a := Run(t, normal(0), normal(apart))
		for _, delta := range []float64{0.01, 0.1} {
			shown, told := a.Epsilon(delta), privacy.GaussianZCDP(apart).Epsilon(delta)
			if shown > told || shown < 0.7*told {
				t.Errorf("at δ = %g, means %g apart: got %g, want from 0.7 of %g to all", delta, apart, shown, told)
			}
		}
	}
	if shown := Run(t, normal(0), normal(0)).Epsilon(0); shown > 0.1 {
		t.Errorf("the same distribution: got %g", shown)
	}
}

// An output that only one of the neighbours can produce is found, whichever neighbour it is.
func TestOneSided(t *testing.T) {
	none := func(rand.Source) float64 { return 0 }
	at := func(value float64) func(rand.Source) float64 {
		return func(src rand.Source) float64 {
			if src.Uint64()%8 == 0 {
				return value
			}
			return 0
		}
	}
	for _, a := range []*Audit{Run(t, at(-1), none), Run(t, none, at(1))} {
		if shown := a.Epsilon(0.01); shown < 4 {
			t.Errorf("got an ε of at least %g, but the mechanism has none", shown)
		}
	}
}

// Bounds of a probability follow the binomial distribution: the bound for 0 hits of n is the p
// with (1 − p)ⁿ = 0.5 %.
func TestBounds(t *testing.T) {
	want := 1 - math.Pow(0.005, 1.0/50)
	if got := most(0, 50); math.Abs(got-want) > 1e-9 {
		t.Errorf("got %g, want %g", got, want)
	}
	if got := least(50, 50); math.Abs(got-(1-want)) > 1e-9 {
		t.Errorf("got %g, want %g", got, 1-want)
	}
	if least(0, 50) != 0 || most(50, 50) != 1 {
		t.Error("want 0 and 1")
	}
}
