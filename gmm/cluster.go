package gmm

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/mixtures/passes"
	"github.com/collabdict/collabdict/internal/numeric/lanes"
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
	of := passes.NearestOf(centres)
	_ = lanes.Each(Matrix(x), func(l *lanes.Lane) error {
		nearest := of(dim)
		return l.Blocks(func(from int, block []float64) { copy(out[from:], nearest(block)) })
	})
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
	of := passes.NearestOf(centres)
	parts, _ := lanes.HereOnly(func(l *lanes.Lane) (*cluster, error) {
		s, nearest := &cluster{n: make([]float64, k), first: make([]float64, k*dim)}, of(dim)
		return s, l.Blocks(func(_ int, x []float64) {
			for j, to := range nearest(x) {
				row := x[j*dim : (j+1)*dim]
				s.squares += passes.SquaredDistance(row, centres.RawRowView(to))
				s.n[to]++
				floats.Add(s.first[to*dim:(to+1)*dim], row)
			}
		})
	}).Over(r.Rows, struct{}{})
	total := parts[0]
	for _, s := range parts[1:] {
		total.squares += s.squares
		floats.Add(total.n, s.n)
		floats.Add(total.first, s.first)
	}
	return total
}
