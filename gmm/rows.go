package gmm

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Rows is a source of n rows of m values that can be read as often as wanted, by
// several goroutines at once.
type Rows interface {
	Dims() (n, m int)
	// ReadRows fills x, whose length is a multiple of m, with the rows from row
	// from on, row-major.
	ReadRows(x []float64, from int) error
}

// Matrix returns the rows of x, which it keeps and never modifies. Reading them
// never fails.
func Matrix(x *mat.Dense) Rows { return matrix{x} }

type matrix struct{ *mat.Dense }

func (m matrix) ReadRows(x []float64, from int) error {
	_, dim := m.Dims()
	if len(x)%dim != 0 {
		panic(errShape)
	}
	if raw := m.RawMatrix(); raw.Stride == dim {
		copy(x, raw.Data[from*dim:][:len(x)])
		return nil
	}
	for ; len(x) > 0; from++ {
		copy(x[:dim], m.RawRowView(from))
		x = x[dim:]
	}
	return nil
}

// reader makes passes over rows, of which no more than a block a lane is in memory.
// One pass is made at a time; what it works with is used again by the next.
type reader struct {
	rows   Rows
	n, dim int
	lanes  []lane
	pass   *pass // of the last mixture
}

// lane is what one lane works with.
type lane struct {
	dim   int
	block []float64 // the rows read last
	near  assigner
}

func newReader(rows Rows) *reader {
	n, dim := rows.Dims()
	r := &reader{rows: rows, n: n, dim: dim, lanes: make([]lane, lanes(n))}
	for l := range r.lanes {
		r.lanes[l].dim = dim
	}
	return r
}

// sweep calls f for every block x of rows, from being the place of its first one, and
// returns the error of the lowest lane that could not read its rows. Blocks of one lane
// come in order, one after the other.
func (r *reader) sweep(f func(l, from int, x []float64)) error {
	errs := make([]error, len(r.lanes))
	sweep(r.n, func(l, lo, hi int) {
		if errs[l] != nil {
			return
		}
		at := &r.lanes[l]
		if at.block == nil {
			at.block = make([]float64, min(r.n, blockRows)*r.dim)
		}
		x := at.block[:(hi-lo)*r.dim]
		if errs[l] = r.rows.ReadRows(x, lo); errs[l] == nil {
			f(l, lo, x)
		}
	})
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// check returns an error for the first value above limit in size, or no number.
func (r *reader) check(limit float64) error {
	wrong := make([]error, len(r.lanes))
	err := r.sweep(func(l, from int, x []float64) {
		for i, v := range x {
			if !(math.Abs(v) <= limit) && wrong[l] == nil {
				wrong[l] = fmt.Errorf("rows: row %d, column %d: want a finite value of at most %.3g in size, got %g", from+i/r.dim+1, i%r.dim+1, limit, v)
			}
		}
	})
	for _, w := range wrong {
		if w != nil {
			return w
		}
	}
	return err
}
