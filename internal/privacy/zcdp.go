package privacy

import (
	"fmt"
	"math"
)

// ZCDP is a privacy loss, the ρ of zero-concentrated differential privacy (Bun and Steinke
// 2016). For every α > 1, the Rényi divergence of order α between the outputs for two
// neighbouring sets of rows is at most αρ. The losses of several mechanisms add up, even if each
// depends on the output of earlier ones.
type ZCDP float64

// GaussianZCDP returns the loss of a Gaussian mechanism with the ratio μ of sensitivity to
// noise.
func GaussianZCDP(mu float64) ZCDP { return ZCDP(mu * mu / 2) }

// Epsilon returns the smallest ε for which Gaussian mechanisms of this total loss are (ε,
// δ)-differentially private, exactly; see [GaussianRatio]. It is never too small. For an
// infinite loss it is +Inf. delta is between 0 and 1.
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
	// The upper end is the ε that zero-concentrated differential privacy implies for any
	// mechanism.
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
