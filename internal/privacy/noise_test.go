package privacy_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"

	"github.com/collabdict/collabdict/internal/privacy"
)

// farOut is a source that makes a normal number of 20 standard deviations: 20 numbers that
// start above 1/2, one that falls, the 380 trials for its square, and zeros for all its digits.
type farOut struct{ words []uint64 }

func (s *farOut) Uint64() uint64 {
	if len(s.words) == 0 {
		return 0
	}
	w := s.words[0]
	s.words = s.words[1:]
	return w
}

// Noise has no limit. With a limit, an output that is possible only with one row would reveal
// the row for certain.
func TestNoiseHasNoEnd(t *testing.T) {
	high := func(n int) []uint64 { return slices.Repeat([]uint64{math.MaxUint64}, n) }
	src := &farOut{slices.Concat(high(20), []uint64{0, math.MaxUint64}, high(380), []uint64{math.MaxUint64, 1 << 62}, high(20), []uint64{0})}
	if got := math.Abs(privacy.Noisy(0, 1, src)); got < 20 {
		t.Errorf("noise of %g standard deviations, want a value as unlikely as 20", got)
	}
}

// Noisy values are on the grid, near the value plus its noise, and move with the value in whole
// steps, whatever its digits.
func TestNoisySumsShowNoDigits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sd := rapid.Float64Range(1e-3, 1e3).Draw(t, "sd")
		value, seed := rapid.Float64Range(-1e6, 1e6).Draw(t, "value"), rapid.Uint64().Draw(t, "seed")
		_, exp := math.Frexp(sd)
		grid := math.Ldexp(1, exp-9)
		noisy := func(v float64) float64 { return privacy.Noisy(v, sd, rand.NewPCG(seed, 1)) }
		got := noisy(value)
		if got != math.Round(got/grid)*grid || math.Abs(got-value) > 8.4*sd {
			t.Fatalf("%g with noise of %g is %g", value, sd, got)
		}
		steps := float64(rapid.IntRange(-1<<40, 1<<40).Draw(t, "steps"))
		base := math.Floor(value/grid) * grid
		if moved := noisy(base + steps*grid); moved != noisy(base)+steps*grid {
			t.Fatalf("%g steps on, noise is another", steps)
		}
	})
}

// The noise is normal, by a χ² test with 32 cells of equal probability.
func TestNoiseIsNormal(t *testing.T) {
	const draws, cells = 1 << 16, 32
	src, counts := rand.NewPCG(1, 2), make([]float64, cells)
	for range draws {
		p := distuv.UnitNormal.CDF((privacy.Noisy(0.3, 3, src) - 0.3) / 3)
		counts[min(cells-1, int(p*cells))]++
	}
	square := 0.0
	for _, n := range counts {
		square += (n - draws/cells) * (n - draws/cells) / (draws / cells)
	}
	if square > 62 { // happens once in a thousand, for 31 degrees of freedom
		t.Errorf("χ² is %.1f", square)
	}
}
