package gmm

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/mixtures/passes"
)

// Lloyd returns the centres that Lloyd's algorithm reaches on the rows of x from the given
// ones. It stops when the sum of squares no longer falls, at the latest after 100 iterations. A
// centre that is nearest to no row stays where it is.
func Lloyd(x, from *mat.Dense) *mat.Dense {
	centres, r := mat.DenseCopyOf(from), passes.NewReader(Matrix(x))
	last := math.Inf(1)
	for range maxLloyd {
		s := nearestSums(r, centres)
		if s.squares >= last {
			break
		}
		last = s.squares
		for k, n := range s.n {
			if n >= 1 {
				floats.ScaleTo(centres.RawRowView(k), 1/n, s.first[k*r.Dim:(k+1)*r.Dim])
			}
		}
	}
	return centres
}

// Nearest returns the index of the nearest centre for every row of x, the lowest index in a
// tie.
func Nearest(x, centres *mat.Dense) []int {
	rows, dim := x.Dims()
	if _, got := centres.Dims(); got != dim {
		panic(errShape)
	}
	out := make([]int, rows)
	r, of := passes.NewReader(Matrix(x)), passes.NearestOf(centres)
	_ = r.Sweep(func(l, from int, block []float64) { copy(out[from:], of(r.At(l), block)) })
	return out
}

// cluster holds the sums over the rows nearest to each centre.
type cluster struct {
	squares float64   // sum of squared distances to the nearest centre
	n       []float64 // K
	first   []float64 // K by M
}

// nearestSums sums rows that are in memory, so reading them cannot fail.
func nearestSums(r *passes.Reader, centres *mat.Dense) *cluster {
	k, dim := centres.Dims()
	lanes, of := make([]cluster, r.Lanes()), passes.NearestOf(centres)
	_ = r.Sweep(func(l, _ int, x []float64) {
		s := &lanes[l]
		if s.n == nil {
			s.n, s.first = make([]float64, k), make([]float64, k*dim)
		}
		for j, to := range of(r.At(l), x) {
			row := x[j*dim : (j+1)*dim]
			s.squares += passes.SquaredDistance(row, centres.RawRowView(to))
			s.n[to]++
			floats.Add(s.first[to*dim:(to+1)*dim], row)
		}
	})
	total := &lanes[0]
	for _, s := range lanes[1:] {
		total.squares += s.squares
		floats.Add(total.n, s.n)
		floats.Add(total.first, s.first)
	}
	return total
}
