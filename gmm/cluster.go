package gmm

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// Lloyd returns the centres after Lloyd's algorithm on the rows of x from the given
// ones, until the sum of squares no longer falls or 100 times. A centre that no row is
// nearest to stays.
func Lloyd(x, from *mat.Dense) *mat.Dense {
	centres, r := mat.DenseCopyOf(from), newReader(Matrix(x))
	last := math.Inf(1)
	for range maxLloyd {
		sums, _ := clusterSums(r, []*mat.Dense{centres}) // rows in memory are always there
		if sums[0] >= last {
			break
		}
		last = sums[0]
		moveCentres([]*mat.Dense{centres}, sums[1:])
	}
	return centres
}

// Nearest returns for every row of x the index of the centre nearest to it, the lowest
// in a tie.
func Nearest(x, centres *mat.Dense) []int {
	rows, dim := x.Dims()
	if _, got := centres.Dims(); got != dim {
		panic(errShape)
	}
	out := make([]int, rows)
	r, of := newReader(Matrix(x)), nearestOf(centres)
	_ = r.sweep(func(l, from int, block []float64) { copy(out[from:], of(&r.lanes[l], block)) })
	return out
}
