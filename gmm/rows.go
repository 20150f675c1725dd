package gmm

import (
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
)

// Rows is a source of rows, as defined by package collabdict.
type Rows = collabdict.Rows

// Matrix returns the rows of x as a source. It keeps x, never modifies it, and reading never
// fails.
func Matrix(x *mat.Dense) Rows { return matrix{x} }

type matrix struct{ *mat.Dense }

// Matrix returns the rows, which the caller must not change.
func (m matrix) Matrix() *mat.Dense { return m.Dense }

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
