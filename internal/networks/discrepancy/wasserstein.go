package discrepancy

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// edge is a value of the sample, with Φ and ∫_{-∞} Φ up to it.
type edge struct{ x, below, area float64 }

// at uses that xΦ(x) + φ(x) has the derivative Φ(x).
func at(x float64) edge {
	below := normalCDF(x)
	return edge{x, below, x*below + normalDensity(x)}
}

// firstOrder returns the Wasserstein distance of order 1 between a sorted sample and the standard normal
// distribution: ∫ |F(t) − Φ(t)| dt with the empirical F, to rounding. It follows the steps of F: between
// two neighbours of the sample, F is a constant c, which Φ crosses at most once.
func firstOrder(s []float64) float64 {
	n := float64(len(s))
	u := at(s[0])
	sum := math.Max(0, u.area)
	for i, x := range s[1:] {
		if x == u.x {
			continue
		}
		c, v := float64(i+1)/n, at(x)
		if u.below < c && c < v.below {
			middle := at(mathext.NormalQuantile(c))
			sum += math.Abs(between(c, u, middle)) + math.Abs(between(c, middle, v))
		} else {
			sum += math.Abs(between(c, u, v))
		}
		u = v
	}
	// ∫_x^∞ (1 − Φ) = ∫_{-∞}^{-x} Φ.
	return sum + math.Max(0, at(-u.x).area)
}

// between returns ∫ (c − Φ) from u to v.
func between(c float64, u, v edge) float64 { return c*(v.x-u.x) - (v.area - u.area) }

func normalCDF(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }

func normalDensity(x float64) float64 { return math.Exp(-x*x/2) / math.Sqrt(2*math.Pi) }
