package passes

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	kernels "github.com/collabdict/collabdict/internal/kernels/blas"
)

// centred holds centres as rows, and ½‖c‖² of each.
type centred struct {
	k, dim  int
	centres []float64
	half    []float64
}

func newCentred(centres *mat.Dense) *centred {
	k, dim := centres.Dims()
	s := &centred{k: k, dim: dim}
	for i := range k {
		row := centres.RawRowView(i)
		s.centres = append(s.centres, row...)
		s.half = append(s.half, kernels.Dot(row, row)/2)
	}
	return s
}

// assigner finds the centres nearest to the rows of a block. It reuses its memory for the next
// block.
type assigner struct {
	product []float64 // x·c for every row and centre
	out     []int
}

// nearest minimises ½‖c‖² − x·c for every row of a block; the lowest index wins a tie. The
// result is valid until the next call.
func (a *assigner) nearest(x []float64, s *centred) []int {
	rows := len(x) / s.dim
	a.product = slices.Grow(a.product[:0], rows*s.k)[:rows*s.k]
	kernels.Implementation{}.Dgemm(blas.NoTrans, blas.Trans, rows, s.k, s.dim, 1, x, s.dim, s.centres, s.dim, 0, a.product, s.k)
	out := a.assignment(rows)
	for j := range out {
		best, at := math.Inf(1), 0
		for i, dot := range a.product[j*s.k : (j+1)*s.k] {
			if v := s.half[i] - dot; v < best {
				best, at = v, i
			}
		}
		out[j] = at
	}
	return out
}

func (a *assigner) assignment(rows int) []int {
	a.out = slices.Grow(a.out[:0], rows)[:rows]
	return a.out
}

// SquaredDistance returns ‖x − y‖². It uses four partial sums, which a processor computes in
// parallel.
func SquaredDistance(x, y []float64) float64 {
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
