package dataset

// Single is rows in memory in single precision. Reading them never fails.
type Single struct {
	width  int
	values []float32 // rows × width
}

// Dims returns the numbers of rows and columns.
func (s Single) Dims() (n, m int) { return len(s.values) / s.width, s.width }

// ReadRows fills x with the rows from row from on.
func (s Single) ReadRows(x []float64, from int) error {
	if len(x)%s.width != 0 {
		panic("dataset: want room for whole rows")
	}
	for i, v := range s.values[from*s.width:][:len(x)] {
		x[i] = float64(v)
	}
	return nil
}
