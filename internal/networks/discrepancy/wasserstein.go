package discrepancy

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
)

// W1 returns the Wasserstein distance of order 1 between the sample x, in any order, and the
// standard normal distribution: ∫ |F(t) − Φ(t)| dt with the empirical F, to rounding. It takes
// O(n log n) time and does not modify x. It returns an error if x is empty or has a value that
// is not finite.
func W1(x []float64) (float64, error) {
	s, err := ascending(x)
	if err != nil {
		return 0, err
	}
	return firstOrder(s), nil
}

// W2 is like W1 for order 2: the root mean squared distance between the quantiles of the two.
func W2(x []float64) (float64, error) {
	s, err := ascending(x)
	if err != nil {
		return 0, err
	}
	return secondOrder(s), nil
}

// ascending returns a sorted copy of x, or an error if x is no sample of finite numbers.
func ascending(x []float64) ([]float64, error) {
	if len(x) == 0 {
		return nil, fmt.Errorf("discrepancy: want a sample of at least one value, got none")
	}
	for i, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("discrepancy: want finite values, got %g as number %d of %d", v, i+1, len(x))
		}
	}
	s := slices.Clone(x)
	sortNumbers(s)
	return s, nil
}

// edge is a value of the sample, with Φ and ∫_{-∞} Φ up to it.
type edge struct{ x, below, area float64 }

// at uses that xΦ(x) + φ(x) has the derivative Φ(x).
func at(x float64) edge {
	below := normalCDF(x)
	return edge{x, below, x*below + normalDensity(x)}
}

// firstOrder follows the steps of F: between two neighbours of the sorted sample, F is a
// constant c, which Φ crosses at most once.
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

// secondOrder returns the root of mean x² + 1 − 2 Σ x_(i) (φ(q_{i-1}) − φ(q_i)) with the
// quantiles q_i = Φ⁻¹(i/n). Between two quantiles, the i-th smallest value meets the normal
// variable t, and ∫ t φ(t) dt = −φ(t).
func secondOrder(s []float64) float64 {
	n := len(s)
	squares, cross, left := 0.0, 0.0, 0.0
	for i, x := range s {
		right := 0.0
		if next := min(i+1, n-i-1); next > 0 { // of a pair of quantiles, the negative one has more digits
			right = normalDensity(mathext.NormalQuantile(float64(next) / float64(n)))
		}
		squares += x * x
		cross += x * (left - right)
		left = right
	}
	return math.Sqrt(math.Max(0, squares/float64(n)+1-2*cross))
}

func normalCDF(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }

func normalDensity(x float64) float64 { return math.Exp(-x*x/2) / math.Sqrt(2*math.Pi) }
