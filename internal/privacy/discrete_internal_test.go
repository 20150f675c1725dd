package privacy

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// With few steps per standard deviation, every number of steps has its exact probability.
func TestDiscreteNoiseIsDiscreteNormal(t *testing.T) {
	const draws, ends = 200_000, 24
	for _, sigma := range []uint64{1, 2, 3} {
		d, src := Discrete{1, sigma}, rand.NewPCG(7, sigma)
		got, weights, sum := make([]float64, 2*ends+1), make([]float64, 2*ends+1), 0.0
		for range draws {
			got[min(max(d.draw(src), -ends), ends)+ends]++
		}
		for i := range weights {
			z := float64(i-ends) / float64(sigma)
			weights[i] = math.Exp(-z * z / 2)
			sum += weights[i]
		}
		chi2, cells := 0.0, 0
		for i, w := range weights {
			if want := draws * w / sum; want > 10 {
				chi2 += (got[i] - want) * (got[i] - want) / want
				cells++
			}
		}
		if p := 1 - (distuv.ChiSquared{K: float64(cells - 1)}).CDF(chi2); p < 1e-4 {
			t.Errorf("sigma %d: chi-square %.1f of %d cells, p %.2g", sigma, chi2, cells, p)
		}
	}
}

// Noise has at least the requested standard deviation, and values move in whole steps.
func TestDiscreteNoise(t *testing.T) {
	for _, sd := range []float64{1e-3, 1, 0.75, 3.3, 1e6} {
		d := NewDiscrete(sd)
		if got := d.step * float64(d.sigma); got < sd || got > sd*(1+1e-7) {
			t.Errorf("standard deviation %g, want %g", got, sd)
		}
		if d.sigma < discreteSteps || d.sigma > 2*discreteSteps {
			t.Errorf("%d steps", d.sigma)
		}
		a, b := []float64{0.3 * sd}, []float64{0.3*sd + 5*d.step}
		d.Add(a, rand.NewPCG(1, 1))
		d.Add(b, rand.NewPCG(1, 1))
		if b[0]-a[0] != 5*d.step || math.Mod(a[0], d.step) != 0 {
			t.Errorf("noise of %g: %g and %g", sd, a[0], b[0])
		}
	}
	n, sum := 20_000, 0.0
	x := make([]float64, n)
	NewDiscrete(2).Add(x, rand.NewPCG(3, 3))
	for _, v := range x {
		sum += v * v
	}
	if got := math.Sqrt(sum / float64(n)); math.Abs(got-2) > 0.05 {
		t.Errorf("standard deviation of draws %g, want 2", got)
	}
}

func BenchmarkDiscrete(b *testing.B) {
	d, src, x := NewDiscrete(1), rand.NewPCG(1, 1), make([]float64, 1)
	for b.Loop() {
		d.Add(x, src)
	}
}
