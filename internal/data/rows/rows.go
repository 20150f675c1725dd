package rows

import (
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/numeric/lanes"
)

// Matrix holds rows in memory. Reading them never fails.
type Matrix struct{ *mat.Dense }

// InMemory returns the rows of x, which it keeps.
func InMemory(x *mat.Dense) collabdict.Rows { return Matrix{x} }

// Matrix returns the rows. The caller must not change them.
func (m Matrix) Matrix() *mat.Dense { return m.Dense }

// ReadRows fills x with rows, beginning at row from.
func (m Matrix) ReadRows(x []float64, from int) error {
	_, width := m.Dims()
	if len(x)%width != 0 {
		panic("rows: want room for whole rows")
	}
	for ; len(x) > 0; from++ {
		copy(x[:width], m.RawRowView(from))
		x = x[width:]
	}
	return nil
}

// Dense returns all rows as one matrix. The caller must not change it.
func Dense(rows collabdict.Rows) (*mat.Dense, error) {
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

// PerBlock is the number of rows in memory at a time, for work that goes on in parallel in a block.
const PerBlock = 4096

// Each calls f with all rows in order, in blocks, until f returns an error. from is the index
// of the first row of block x, which is valid until f returns.
func Each(rows collabdict.Rows, f func(x *mat.Dense, from int) error) error {
	_, width := rows.Dims()
	return lanes.EachBlock(rows, PerBlock, func(from int, x []float64) error {
		return f(mat.NewDense(len(x)/width, width, x), from)
	})
}
