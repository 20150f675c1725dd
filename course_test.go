package collabdict

import (
	"math"
	"math/rand/v2"
	"testing"
)

type silent struct{ Learner }

// A noisy objective has settled when it no longer rises. It has not while it rises slowly under
// its noise, or right after another running total has begun.
func TestNoisyObjectives(t *testing.T) {
	g := Solo{}
	ends := func(of func(n int) float64, opt Options) int {
		var c course
		for n := 1; n <= 200; n++ {
			if c.settled(of(n), silent{}, g, opt) {
				return n
			}
		}
		return 0
	}
	opt := Options{Tol: 1e-6, Noisy: true}
	noise := func(size float64) func() float64 {
		rng := rand.New(rand.NewPCG(5, 5))
		return func() float64 { return size * rng.NormFloat64() }
	}
	small := noise(1)
	if n := ends(func(n int) float64 { return -1000 - 500*math.Exp(-float64(n)/4) + small() }, opt); n < 15 || n > 60 {
		t.Errorf("one that settles after some 25 rounds ends after %d", n)
	}
	small = noise(1)
	if n := ends(func(n int) float64 { return -1000 + 2*float64(n) + small() }, opt); n != 0 {
		t.Errorf("one that rises ends after %d rounds", n)
	}
	if n := ends(func(n int) float64 { return -1000 - 1e-9/float64(n) }, opt); n != window {
		t.Errorf("one without noise that has settled ends after %d rounds, want %d", n, window)
	}
	small = noise(1)
	if n := ends(func(int) float64 { return small() }, Options{Noisy: true}); n != 0 {
		t.Errorf("without a tolerance it ends after %d rounds", n)
	}
}
