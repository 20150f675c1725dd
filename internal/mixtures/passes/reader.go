package passes

import (
	"fmt"
	"math"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/numeric/lanes"
)

// Rows is a source of rows, as defined by package collabdict.
type Rows = collabdict.Rows

// Reader makes passes over rows, with at most one block per lane in memory. It makes one pass
// at a time, and reuses its memory for the next.
type Reader struct {
	Rows   Rows
	N, Dim int
	pass   *Pass // of the last mixture
}

// NewReader returns a reader of rows, which it keeps.
func NewReader(rows Rows) *Reader {
	n, dim := rows.Dims()
	return &Reader{Rows: rows, N: n, Dim: dim}
}

// Check returns an error for the first value that is not a number, or larger than limit in
// size.
func (r *Reader) Check(limit float64) error {
	parts, err := firstBeyond.Over(r.Rows, limit)
	if err != nil {
		return err
	}
	for _, p := range parts {
		if p.Row > 0 {
			return fmt.Errorf("rows: row %d, column %d: want a finite value of at most %.3g in size, got %g", p.Row, p.Column, limit, p.Value)
		}
	}
	return nil
}

// beyond is a value beyond a limit, with its place from 1 on. Row is 0 for none.
type beyond struct {
	Row, Column int
	Value       float64
}

// firstBeyond finds the first value of a lane that is not a number, or larger than limit in size.
var firstBeyond = lanes.NewJob("first value beyond a limit", func(l *lanes.Lane, limit float64) (first beyond, err error) {
	return first, l.Blocks(func(from int, x []float64) {
		for i, v := range x {
			if !(math.Abs(v) <= limit) && first.Row == 0 {
				first = beyond{from + i/l.Dim + 1, i%l.Dim + 1, v}
			}
		}
	})
})
