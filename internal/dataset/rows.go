package dataset

import "gonum.org/v1/gonum/mat"

// Rows is a source of n rows of m values that can be read as often as wanted, by
// several goroutines at once. Who reads many goes through them in ascending order,
// a block at a time.
type Rows interface {
	Dims() (n, m int)
	// ReadRows fills x, whose length is a multiple of m, with the rows from row
	// from on, row-major. Rows that are not the ones of the first reading, because
	// a file has changed, are an error.
	ReadRows(x []float64, from int) error
}

// Matrix is rows in memory. Reading them never fails.
type Matrix struct{ *mat.Dense }

// InMemory returns the rows of x, which it keeps.
func InMemory(x *mat.Dense) Rows { return Matrix{x} }

// Matrix returns the rows, which are not to be changed.
func (m Matrix) Matrix() *mat.Dense { return m.Dense }

// ReadRows fills x with the rows from row from on.
func (m Matrix) ReadRows(x []float64, from int) error {
	_, width := m.Dims()
	if len(x)%width != 0 {
		panic("dataset: want room for whole rows")
	}
	for ; len(x) > 0; from++ {
		copy(x[:width], m.RawRowView(from))
		x = x[width:]
	}
	return nil
}

// Dense returns all rows as one matrix, which is not to be modified.
func Dense(rows Rows) (*mat.Dense, error) {
	if m, ok := rows.(Matrix); ok {
		return m.Dense, nil
	}
	n, width := rows.Dims()
	values := make([]float64, n*width)
	if err := rows.ReadRows(values, 0); err != nil {
		return nil, err
	}
	return mat.NewDense(n, width, values), nil
}

// EachRow calls f with every row in order. The row holds until f returns.
func EachRow(rows Rows, f func(row []float64)) error {
	return Each(rows, func(x *mat.Dense, _ int) error {
		n, _ := x.Dims()
		for i := range n {
			f(x.RawRowView(i))
		}
		return nil
	})
}

// eachRows rows are in memory at a time.
const eachRows = 4096

// Each calls f with all rows in order, a block x of them at a time, from being the
// place of its first one, until f returns an error. x holds until f returns.
func Each(rows Rows, f func(x *mat.Dense, from int) error) error {
	n, width := rows.Dims()
	values := make([]float64, min(n, eachRows)*width)
	for from := 0; from < n; from += eachRows {
		values = values[:min(n-from, eachRows)*width]
		if err := rows.ReadRows(values, from); err != nil {
			return err
		}
		if err := f(mat.NewDense(len(values)/width, width, values), from); err != nil {
			return err
		}
	}
	return nil
}
