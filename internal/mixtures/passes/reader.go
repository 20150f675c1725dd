package passes

import (
	"fmt"
	"math"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/numeric/parallel"
)

// Rows is a source of rows, as defined by package collabdict.
type Rows = collabdict.Rows

// Reader makes passes over rows, with at most one block per lane in memory. It makes one pass
// at a time, and reuses its memory for the next.
type Reader struct {
	Rows   Rows
	N, Dim int
	lanes  []Lane
	pass   *Pass // pass of the last mixture
}

// Lane is the memory for one lane: a run of blocks that are handled in order (package parallel).
type Lane struct {
	dim   int
	block []float64 // the rows read last
	near  assigner
}

// NewReader returns a reader of rows, which it keeps.
func NewReader(rows Rows) *Reader {
	n, dim := rows.Dims()
	r := &Reader{Rows: rows, N: n, Dim: dim, lanes: make([]Lane, parallel.Lanes(n))}
	for l := range r.lanes {
		r.lanes[l].dim = dim
	}
	return r
}

// Sweep calls f for every block x of rows; from is the index of its first row. It returns the
// error of the lowest lane whose rows could not be read. Blocks of one lane come in order, one
// at a time.
func (r *Reader) Sweep(f func(l, from int, x []float64)) error {
	errs := make([]error, len(r.lanes))
	parallel.Sweep(r.N, func(l, lo, hi int) {
		if errs[l] != nil {
			return
		}
		at := &r.lanes[l]
		if at.block == nil {
			at.block = make([]float64, min(r.N, parallel.BlockRows)*r.Dim)
		}
		x := at.block[:(hi-lo)*r.Dim]
		if errs[l] = r.Rows.ReadRows(x, lo); errs[l] == nil {
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

// Check returns an error for the first value that is not a number, or larger than limit in
// size.
func (r *Reader) Check(limit float64) error {
	wrong := make([]error, len(r.lanes))
	err := r.Sweep(func(l, from int, x []float64) {
		for i, v := range x {
			if !(math.Abs(v) <= limit) && wrong[l] == nil {
				wrong[l] = fmt.Errorf("rows: row %d, column %d: want a finite value of at most %.3g in size, got %g", from+i/r.Dim+1, i%r.Dim+1, limit, v)
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

// Lanes returns the number of pieces of rows that are processed in parallel.
func (r *Reader) Lanes() int { return len(r.lanes) }

// At returns the memory of a lane.
func (r *Reader) At(lane int) *Lane { return &r.lanes[lane] }
