package privacy

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// ZCDP is a privacy loss as ρ of zero-concentrated differential privacy (Bun and Steinke 2016):
// the Rényi divergence of order α between what two neighbouring sets of rows make is at most αρ,
// for every α > 1. The loss of several mechanisms, each with a view to what came out before, is
// the sum of theirs.
type ZCDP float64

// GaussianZCDP returns the loss of a Gaussian mechanism of the ratio μ of sensitivity to noise.
func GaussianZCDP(mu float64) ZCDP { return ZCDP(mu * mu / 2) }

// Epsilon returns the least ε with which Gaussian mechanisms of this loss together are
// (ε, δ)-differentially private, exactly: see [GaussianRatio]. It is never too small; a loss
// without bound has no ε but +Inf. Delta is between 0 and 1.
func (z ZCDP) Epsilon(delta float64) float64 {
	if !(delta > 0 && delta < 1) {
		panic(fmt.Sprintf("privacy: want a delta between 0 and 1, got %g", delta))
	}
	rho := float64(z)
	mu := math.Sqrt(2 * rho)
	switch {
	case math.IsInf(rho, 1):
		return rho
	case mu == 0 || deltaOf(0, mu) <= delta:
		return 0
	}
	// What zero-concentrated differential privacy gives of any mechanism is above.
	low, high := 0.0, rho+2*math.Sqrt(rho*math.Log(1/delta))
	for range 100 {
		if middle := (low + high) / 2; deltaOf(middle, mu) > delta {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// Divergence is the Rényi divergence of order α > 0 between two normal distributions of the same
// precision matrix Λ whose means are so far apart, α/2 dᵀΛd. It is the same in both directions;
// at α = 1 it is that of Kullback and Leibler.
func Divergence(alpha float64, apart []float64, precision mat.Symmetric) float64 {
	sum := 0.0
	for i, a := range apart {
		for j, b := range apart {
			sum += a * precision.At(i, j) * b
		}
	}
	return alpha / 2 * sum
}
