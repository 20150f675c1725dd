package rows

import (
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// permuted bounds the numbers in memory for a draw by permutation.
const permuted = 500_000

// Drawn returns count of the numbers below n, in ascending order, drawn by seed.
func Drawn(n, count int, seed uint64) []int {
	random := rand.New(rand.NewPCG(seed, uint64(n)))
	if n <= permuted {
		drawn := random.Perm(n)[:count]
		slices.Sort(drawn)
		return drawn
	}
	drawn := make([]int, 0, count) // Each number is drawn with its probability given the draws so far.
	for i := 0; len(drawn) < count; i++ {
		if random.IntN(n-i) < count-len(drawn) {
			drawn = append(drawn, i)
		}
	}
	return drawn
}

// Picked returns the rows of x at the given indices, at least one.
func Picked(x *mat.Dense, at []int) *mat.Dense {
	_, width := x.Dims()
	out := mat.NewDense(len(at), width, nil)
	for i, row := range at {
		out.SetRow(i, x.RawRowView(row))
	}
	return out
}
