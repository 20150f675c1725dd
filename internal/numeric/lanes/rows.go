package lanes

// BlockRows is the number of rows per block; a block stays in the cache.
const BlockRows = 256

// Rows are read by position, as package collabdict defines.
type Rows interface {
	Dims() (n, m int)
	ReadRows(x []float64, from int) error
}

// EachBlock calls f with all rows in order, in blocks of the given number of rows, until f returns
// an error. from is the index of the first row of block x, which is valid until f returns.
func EachBlock(rows Rows, size int, f func(from int, x []float64) error) error {
	n, dim := rows.Dims()
	block := make([]float64, min(n, size)*dim)
	for from := 0; from < n; from += size {
		x := block[:min(n-from, size)*dim]
		if err := rows.ReadRows(x, from); err != nil {
			return err
		}
		if err := f(from, x); err != nil {
			return err
		}
	}
	return nil
}

// EachRow calls f with every row in order. The row is valid until f returns.
func EachRow(rows Rows, f func(row []float64)) error {
	_, dim := rows.Dims()
	return EachBlock(rows, BlockRows, func(_ int, x []float64) error {
		for ; len(x) > 0; x = x[dim:] {
			f(x[:dim])
		}
		return nil
	})
}
