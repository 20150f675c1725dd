package partition

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The mean of gamma variates is their shape.
func TestGammaVariatesHaveTheirMean(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, shape := range []float64{0.1, 1, 5} {
		sum := 0.0
		for range 100000 {
			sum += math.Exp(logGamma(random, shape))
		}
		if mean := sum / 100000; math.Abs(mean-shape) > 0.05*shape {
			t.Errorf("shape %g: mean %g", shape, mean)
		}
	}
}
