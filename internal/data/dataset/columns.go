package dataset

import (
	"io"
	"math"
	"slices"
)

// A columnReader reads rows by number. It is fast in ascending order and seeks otherwise.
type columnReader interface {
	// numbers fills x, row-major, with the features of rows, beginning at row from, if there are
	// features. Empty cells become missingCell.
	numbers(x []float64, from int) error
	// texts fills dst with the trimmed cells of one other column.
	texts(dst []string, column, from int) error
}

// blockRows is the number of rows read at a time.
const blockRows = 256

// numberedRows is the rowReader over a columnReader.
type numberedRows struct {
	reader           columnReader
	features, others []int
	total            int // number of rows in the file
	// present is the number of the present row; first and end delimit the block.
	present, first, end int
	x                   []float64 // features of the block, if loaded
	loaded              bool
	cells               [][]string // cells of the block's other columns
}

func newNumberedRows(reader columnReader, features, others []int, total int) *numberedRows {
	r := &numberedRows{reader: reader, features: features, others: others, total: total, present: -1}
	r.x = make([]float64, blockRows*len(features))
	for range others {
		r.cells = append(r.cells, make([]string, blockRows))
	}
	return r
}

func (r *numberedRows) next() (place, error) {
	r.present++
	p := place{row: r.present + 1}
	if r.present >= r.total {
		return p, io.EOF
	}
	if r.present < r.end {
		return p, nil
	}
	r.first, r.end, r.loaded = r.present, min(r.present+blockRows, r.total), false
	for i, column := range r.others {
		if err := r.reader.texts(r.cells[i][:r.end-r.first], column, r.first); err != nil {
			return p, err
		}
	}
	return p, nil
}

func (r *numberedRows) text(column int) string {
	if i := slices.Index(r.others, column); i >= 0 {
		return r.cells[i][r.present-r.first]
	}
	v := r.row()[slices.Index(r.features, column)]
	if isMissing(v) {
		return ""
	}
	return shortest(v)
}

// numbers reads the features of the block when its first row is read.
func (r *numberedRows) numbers(dst []float64) (sound bool, err error) {
	if !r.loaded && len(r.features) > 0 {
		if err := r.reader.numbers(r.x[:(r.end-r.first)*len(r.features)], r.first); err != nil {
			return false, err
		}
		r.loaded = true
	}
	for j, v := range r.row() {
		if !bounded(v) {
			return false, nil
		}
		dst[j] = v
	}
	return true, nil
}

// fill fills x with the features of the next rows, which must exist. It skips the other
// columns.
func (r *numberedRows) fill(x []float64) (sound bool, err error) {
	for m := len(r.features); len(x) > 0; {
		n := min(len(x)/m, blockRows)
		if err := r.reader.numbers(x[:n*m], r.present+1); err != nil {
			return false, err
		}
		for _, v := range x[:n*m] {
			if !bounded(v) {
				return false, nil
			}
		}
		x, r.present = x[n*m:], r.present+n
	}
	return true, nil
}

// row returns the present row of the loaded block.
func (r *numberedRows) row() []float64 {
	m := len(r.features)
	return r.x[(r.present-r.first)*m:][:m]
}

func (r *numberedRows) seek(to place) error {
	r.present = to.row - 2
	r.first, r.end = 0, 0
	return nil
}

// missingCell marks an empty cell among numbers: a NaN that no calculation produces.
var missingCell = math.Float64frombits(0x7ff8_6e75_6c6c_0001)

func isMissing(v float64) bool { return math.Float64bits(v) == math.Float64bits(missingCell) }
