package vae

import (
	"fmt"
	"math"

	"github.com/collabdict/collabdict/internal/numeric/lanes"
)

// Rows is a source of n rows of m values that can be read any number of times, as in package
// gmm.
type Rows interface {
	Dims() (n, m int)
	// ReadRows fills x, whose length is a multiple of m, with rows in row-major order, starting
	// with row from.
	ReadRows(x []float64, from int) error
}

// Largest is the largest size of a value. Divided by [LeastScale] and squared it is 1e30, so a sum
// of such squares over columns is finite in float32.
const Largest = 1e12

// EachBlock calls f with blocks of rows in order, rounded to float32; from is the index of the
// block's first row. The next block overwrites the slice. Values that are not numbers, or
// larger than limit in size, are an error; others are cut to Largest.
func EachBlock(rows Rows, limit float64, f func(from int, x []float32) error) error {
	_, columns := rows.Dims()
	var block []float32
	return lanes.EachBlock(rows, lanes.BlockRows, func(from int, x []float64) error {
		block = block[:0]
		for i, v := range x {
			if !(math.Abs(v) <= limit) {
				return fmt.Errorf("rows: row %d, column %d: want a finite value of at most %.3g in size, got %g", from+i/columns+1, i%columns+1, limit, v)
			}
			block = append(block, float32(max(-Largest, min(v, Largest))))
		}
		return f(from, block)
	})
}

// InMemory returns all rows, at least one. A value larger than Largest in size is an error.
func InMemory(rows Rows) ([]float32, error) {
	n, columns := rows.Dims()
	if n == 0 || columns == 0 {
		return nil, fmt.Errorf("rows: want at least 1 row and 1 column, got %d by %d", n, columns)
	}
	all := make([]float32, 0, n*columns)
	err := EachBlock(rows, Largest, func(_ int, x []float32) error {
		all = append(all, x...)
		return nil
	})
	return all, err
}
