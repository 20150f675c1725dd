package gmm

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	kernels "github.com/collabdict/collabdict/internal/blas"
)

// stacked are the centres of several candidates, which have as many each, one below
// the other.
type stacked struct {
	k, dim  int
	centres []float64
	half    []float64 // ½‖c‖² of each
}

func stack(candidates []*mat.Dense) *stacked {
	k, dim := candidates[0].Dims()
	s := &stacked{k: k, dim: dim}
	for _, c := range candidates {
		for i := range k {
			row := c.RawRowView(i)
			s.centres = append(s.centres, row...)
			s.half = append(s.half, kernels.Dot(row, row)/2)
		}
	}
	return s
}

// assigner finds the centres nearest to the rows of a block. Its memory is used again
// for the next one.
type assigner struct {
	product []float64 // x·c of every row and centre
	out     []int
}

// multiply readies the assigner for a block of rows.
func (a *assigner) multiply(x []float64, s *stacked) {
	rows, all := len(x)/s.dim, len(s.half)
	a.product = slices.Grow(a.product[:0], rows*all)[:rows*all]
	kernels.Implementation{}.Dgemm(blas.NoTrans, blas.Trans, rows, all, s.dim, 1, x, s.dim, s.centres, s.dim, 0, a.product, all)
}

// nearest minimises ½‖c‖² − x·c over the centres of a candidate; the lowest index
// wins a tie. The result holds until the next call.
func (a *assigner) nearest(s *stacked, which int) []int {
	all, from := len(s.half), which*s.k
	half := s.half[from : from+s.k]
	out := a.assignment(len(a.product) / all)
	for j := range out {
		best, at := math.Inf(1), 0
		for i, dot := range a.product[j*all+from:][:len(half)] {
			if v := half[i] - dot; v < best {
				best, at = v, i
			}
		}
		out[j] = at
	}
	return out
}

// assignment returns room for the components of rows.
func (a *assigner) assignment(rows int) []int {
	a.out = slices.Grow(a.out[:0], rows)[:rows]
	return a.out
}

// squaredDistance adds up in four sums, which a processor works on at the same time.
func squaredDistance(x, y []float64) float64 {
	var a, b, c, d float64
	for len(x) >= 4 && len(y) >= 4 {
		p, q, r, s := x[0]-y[0], x[1]-y[1], x[2]-y[2], x[3]-y[3]
		a += float64(p * p)
		b += float64(q * q)
		c += float64(r * r)
		d += float64(s * s)
		x, y = x[4:], y[4:]
	}
	for i, v := range x {
		a += float64((v - y[i]) * (v - y[i]))
	}
	return a + b + (c + d)
}
