package vae

import (
	"fmt"
	"math"
)

// Rows is a source of n rows of m values that can be read any number of times, as in package
// gmm.
type Rows interface {
	Dims() (n, m int)
	// ReadRows fills x, whose length is a multiple of m, with rows in row-major order, starting
	// with row from.
	ReadRows(x []float64, from int) error
}

// Largest is the largest size of a value. Beyond it, squares could overflow in float32.
const Largest = 1e12

const blockRows = 256

// EachBlock calls f with blocks of rows in order, rounded to float32; from is the index of the
// block's first row. The next block overwrites the slice. Values that are not numbers, or
// larger than limit in size, are an error; others are cut to Largest.
func EachBlock(rows Rows, limit float64, f func(from int, x []float32) error) error {
	n, columns := rows.Dims()
	wide, block := make([]float64, min(n, blockRows)*columns), make([]float32, min(n, blockRows)*columns)
	for from := 0; from < n; from += blockRows {
		wide := wide[:min(n-from, blockRows)*columns]
		if err := rows.ReadRows(wide, from); err != nil {
			return err
		}
		for i, v := range wide {
			if !(math.Abs(v) <= limit) {
				return fmt.Errorf("rows: row %d, column %d: want a finite value of at most %.3g in size, got %g", from+i/columns+1, i%columns+1, limit, v)
			}
			block[i] = float32(max(-Largest, min(v, Largest)))
		}
		if err := f(from, block[:len(wide)]); err != nil {
			return err
		}
	}
	return nil
}

// InMemory returns all rows, at least one, with values cut to Largest.
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
