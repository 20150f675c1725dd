package audittest

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/collabdict/collabdict/internal/privacy"
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

// The advantage against normal noise is that of the best test, 2Φ(μ/2) − 1, and the lower bound is
// below. The discriminant finds the direction that tells most, also among values that depend on each
// other.
func TestAdvantage(t *testing.T) {
	const n, apart = 2000, 1.0
	random := rand.New(rand.NewPCG(5, 5))
	var draws [2][2][][]float64
	for half := range draws {
		for side := range 2 {
			for range n {
				common := 10 * random.NormFloat64() // hides both values, but not their difference
				draws[half][side] = append(draws[half][side], []float64{common + random.NormFloat64() + apart*float64(side), common})
			}
		}
	}
	want := math.Erf(apart / math.Sqrt(8))
	if got, lower := Discriminated(draws[0], draws[1]).Advantage(); math.Abs(got-want) > 0.05 || lower > want || lower < want-0.15 {
		t.Errorf("got %.3f, at least %.3f, want %.3f", got, lower, want)
	}
	if got, lower := Discriminated(draws[0], [2][][]float64{draws[1][0], draws[0][0]}).Advantage(); math.Abs(got) > 0.05 || lower > 0 {
		t.Errorf("the same distribution: got %.3f, at least %.3f", got, lower)
	}
}
