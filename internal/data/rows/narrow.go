package rows

import (
	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/numeric/lanes"
)

// Narrow holds rows in memory, in fewer bytes per value than double precision. Reading them
// never fails.
type Narrow[T float32 | uint8] struct {
	width  int
	values []T // rows × width
}

// Single holds rows in single precision, Bytes rows of pixels.
type (
	Single = Narrow[float32]
	Bytes  = Narrow[uint8]
)

// InNarrow returns rows of the given width over values, which it keeps.
func InNarrow[T float32 | uint8](width int, values []T) *Narrow[T] { return &Narrow[T]{width, values} }

// Dims returns the numbers of rows and columns.
func (s *Narrow[T]) Dims() (n, m int) { return len(s.values) / s.width, s.width }

// ReadRows fills x with rows, beginning at row from.
func (s *Narrow[T]) ReadRows(x []float64, from int) error {
	if len(x)%s.width != 0 {
		panic("rows: want room for whole rows")
	}
	for i, v := range s.values[from*s.width:][:len(x)] {
		x[i] = float64(v)
	}
	return nil
}

// Narrowed reads rows into memory.
func Narrowed[T float32 | uint8](rows collabdict.Rows) (collabdict.Rows, error) {
	n, width := rows.Dims()
	x := &Narrow[T]{width, make([]T, 0, n*width)}
	err := lanes.EachRow(rows, func(row []float64) {
		for _, v := range row {
			x.values = append(x.values, T(v))
		}
	})
	return x, err
}
