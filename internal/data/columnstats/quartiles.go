package columnstats

import (
	"math"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/numeric/parallel"
)

// Quartiles are searched in cells of the ordered floating-point numbers, whatever their size. Each
// pass over the rows finds cellBits more bits, so the memory does not depend on the number of
// rows.
const (
	cellBits    = 8
	cellsOfBits = 1 << cellBits
)

// quartile is the state of the search for one quartile.
type quartile struct {
	column int
	want   float64 // number of rows below it
	prefix uint64  // first number of its cell
	bits   int     // bits of the cell known so far
	below  float64 // rows below the cell
	counts [cellsOfBits]float64
}

// OwnQuartiles returns the first, second and third quartile of each column of one member's rows,
// without a group. NaN cells are missing and do not count.
func OwnQuartiles(rows collabdict.Rows) (first, second, third []float64, err error) {
	_, dim := rows.Dims()
	present := make([]float64, dim)
	if err := parallel.EachRow(rows, func(row []float64) {
		for j, v := range row {
			if !math.IsNaN(v) {
				present[j]++
			}
		}
	}); err != nil {
		return nil, nil, nil, err
	}
	all := make([]quartile, 0, 3*dim)
	for q := range 3 {
		for j, n := range present {
			all = append(all, quartile{column: j, want: float64(q+1) / 4 * n})
		}
	}
	for range 64 / cellBits {
		err := parallel.EachRow(rows, func(row []float64) {
			for i := range all {
				all[i].count(row[all[i].column])
			}
		})
		if err != nil {
			return nil, nil, nil, err
		}
		for i := range all {
			all[i].descend()
		}
	}
	values := make([]float64, len(all))
	for i, q := range all {
		values[i] = unordered(q.prefix)
	}
	return values[:dim:dim], values[dim : 2*dim : 2*dim], values[2*dim:], nil
}

// shift returns the width, in bits, of the cells within the present one.
func (q *quartile) shift() int { return 64 - q.bits - cellBits }

// count counts a value in its cell, unless it is outside the present one.
func (q *quartile) count(v float64) {
	key := ordered(v)
	if math.IsNaN(v) || q.bits > 0 && (key^q.prefix)>>(64-q.bits) != 0 {
		return
	}
	q.counts[key>>q.shift()&(cellsOfBits-1)]++
}

// descend moves into the cell with the quartile.
func (q *quartile) descend() {
	last := 0
	for cell, n := range q.counts {
		if n == 0 {
			continue
		}
		if last = cell; q.below+n >= q.want {
			break
		}
		q.below += n
	}
	q.prefix |= uint64(last) << q.shift()
	q.bits += cellBits
	q.counts = [cellsOfBits]float64{}
}

// ordered maps floating-point numbers to whole numbers in the same order; unordered is its
// inverse. Both zeros map to one number.
func ordered(v float64) uint64 {
	bits := math.Float64bits(v + 0)
	if bits>>63 != 0 {
		return ^bits
	}
	return bits | 1<<63
}

func unordered(key uint64) float64 {
	if key>>63 != 0 {
		return math.Float64frombits(key &^ (1 << 63))
	}
	return math.Float64frombits(^key)
}
