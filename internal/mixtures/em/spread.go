package em

import (
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// candidates is the number of points from which Spread chooses.
const candidates = 1 << 14

// Spread returns k centres that are far apart, given only the range of every column. It starts
// in the middle of the box and always takes the farthest of a set of scrambled Halton points
// (after Diao et al. 2020). Distances are in units of the columns' ranges. The same ranges and
// seed give the same bits everywhere.
func Spread(k int, low, high []float64, src rand.Source) *mat.Dense {
	dim := len(low)
	points := halton(candidates, dim, src)
	distance := make([]float64, candidates)
	for j := range distance {
		for _, v := range points[j*dim : (j+1)*dim] {
			distance[j] -= float64((v - 0.5) * (v - 0.5)) // the first point is the one nearest to the middle
		}
	}
	centres := mat.NewDense(k, dim, nil)
	for c := range k {
		at := floats.MaxIdx(distance)
		taken := points[at*dim : (at+1)*dim]
		for i, v := range taken {
			centres.Set(c, i, low[i]+float64(v*(high[i]-low[i])))
		}
		for j := range distance {
			d := 0.0
			for i, v := range points[j*dim : (j+1)*dim] {
				d += float64((v - taken[i]) * (v - taken[i]))
			}
			if c == 0 || d < distance[j] {
				distance[j] = d
			}
		}
	}
	return centres
}

// halton returns n points of the unit cube, row-major. Column i has the radical inverses in the
// base of the i-th prime, whose digits other than 0 are permuted at random. Without the
// permutation, columns of large primes would be correlated.
func halton(n, dim int, src rand.Source) []float64 {
	out := make([]float64, n*dim)
	rng := rand.New(src)
	prime := 1
	for i := range dim {
		prime = nextPrime(prime)
		digits := append([]int{0}, rng.Perm(prime-1)...)
		for d := 1; d < prime; d++ {
			digits[d]++
		}
		for j := range n {
			out[j*dim+i] = radicalInverse(j+1, digits)
		}
	}
	return out
}

func nextPrime(after int) int {
search:
	for p := after + 1; ; p++ {
		for d := 2; d*d <= p; d++ {
			if p%d == 0 {
				continue search
			}
		}
		return p
	}
}

// radicalInverse mirrors the digits of n at the radix point, each replaced by its permuted
// digit.
func radicalInverse(n int, digits []int) float64 {
	base := len(digits)
	numerator, denominator := 0, 1
	for ; n > 0; n /= base {
		numerator = numerator*base + digits[n%base]
		denominator *= base
	}
	return float64(numerator) / float64(denominator)
}
