package columnstats

import (
	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/numeric/parallel"
)

// blockRows is the number of rows in memory at a time.
const blockRows = parallel.BlockRows

// eachBlock calls f with all rows in order, in blocks. A block is valid until f returns.
func eachBlock(rows collabdict.Rows, f func(x []float64)) error {
	n, dim := rows.Dims()
	block := make([]float64, min(n, blockRows)*dim)
	for from := 0; from < n; from += blockRows {
		block = block[:min(n-from, blockRows)*dim]
		if err := rows.ReadRows(block, from); err != nil {
			return err
		}
		f(block)
	}
	return nil
}

// eachRow calls f with every row in order. The row is valid until f returns.
func eachRow(rows collabdict.Rows, f func(row []float64)) error {
	_, dim := rows.Dims()
	return eachBlock(rows, func(x []float64) {
		for ; len(x) > 0; x = x[dim:] {
			f(x[:dim])
		}
	})
}
