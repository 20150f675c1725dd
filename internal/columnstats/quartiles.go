package columnstats

import (
	"context"
	"fmt"
	"math"

	"github.com/collabdict/collabdict"
)

// Quartiles are searched in cells of the order of floating-point numbers, whatever their size:
// wild values are in cells of their own. A round has cellBits more bits of them.
const (
	cellBits    = 5
	leastBits   = 15 // with fewer, a cell has numbers of several sizes
	cellsOfBits = 1 << cellBits
	// fewShare is the share of a cell into which nobody looks.
	fewShare = 1.0 / 16
)

// quartile is one that is searched.
type quartile struct {
	column int
	want   float64 // share of what is below
	all    float64 // shares of all members
	prefix uint64  // the first number of its cell
	bits   int     // of the cell that are known
	below  float64 // what is below the cell
	value  float64
	found  bool
}

// Quartiles returns the first, second and third quartile of each column over the rows of all
// members, which count alike, however many rows each has.
//
// In each round, a member's vector has the shares of its rows that are in each cell of those
// searched, and members learn the sums of these. Nobody looks into a cell with less than a
// sixteenth of the rows: within it, rows are taken to be spread evenly. The quartiles of one
// who is alone are exact. Cells that are NaN are missing, and do not count.
func Quartiles(ctx context.Context, g collabdict.Group, rows collabdict.Rows) (first, second, third []float64, err error) {
	_, dim := rows.Dims()
	all := make([]quartile, 0, 3*dim)
	for j := range dim {
		for q := range 3 {
			all = append(all, quartile{column: j, want: float64(q+1) / 4})
		}
	}
	_, alone := g.(collabdict.Solo)
	there := make([]float64, dim) // cells that are not missing
	if err := eachRow(rows, func(row []float64) {
		for j, v := range row {
			if !math.IsNaN(v) {
				there[j]++
			}
		}
	}); err != nil {
		return nil, nil, nil, fmt.Errorf("quartiles: %w", err)
	}
	for open := pointers(all); len(open) > 0; open = unfound(open) {
		shares := make([]float64, cellsOfBits*len(open))
		err := eachRow(rows, func(row []float64) {
			for i, q := range open {
				if cell, ok := q.cell(row[q.column]); ok {
					shares[cellsOfBits*i+cell] += 1 / there[q.column]
				}
			}
		})
		if err == nil {
			shares, err = sumCounts(ctx, g, shares)
		}
		if err != nil {
			return nil, nil, nil, fmt.Errorf("quartiles: %w", err)
		}
		for i, q := range open {
			q.look(shares[cellsOfBits*i:cellsOfBits*(i+1)], alone)
		}
	}
	first, second, third = make([]float64, dim), make([]float64, dim), make([]float64, dim)
	for j := range dim {
		first[j], second[j], third[j] = all[3*j].value, all[3*j+1].value, all[3*j+2].value
	}
	return first, second, third, nil
}

func pointers(of []quartile) (out []*quartile) {
	for i := range of {
		out = append(out, &of[i])
	}
	return out
}

func unfound(of []*quartile) (out []*quartile) {
	for _, q := range of {
		if !q.found {
			out = append(out, q)
		}
	}
	return out
}

// shift is of the cells within the present one. The last are of fewer bits.
func (q *quartile) shift() int { return max(64-q.bits-cellBits, 0) }

// cell returns the place of a value within the cell, unless it is outside.
func (q *quartile) cell(v float64) (cell int, ok bool) {
	key := ordered(v)
	if math.IsNaN(v) || q.bits > 0 && (key^q.prefix)>>(64-q.bits) != 0 {
		return 0, false
	}
	return int(key >> q.shift() & (1<<(min(q.bits+cellBits, 64)-q.bits) - 1)), true
}

// look goes into the cell with the quartile.
func (q *quartile) look(shares []float64, alone bool) {
	const rounding = 1e-6
	if q.bits == 0 {
		for _, v := range shares {
			q.all += v
		}
	}
	least := float64(fewShare * q.all)
	if alone {
		least = 0
	}
	want := float64(q.want*q.all) - q.below
	within, last, at := 0.0, 0, -1
	for cell, share := range shares {
		if share <= rounding {
			continue
		}
		if last = cell; within+share >= want-rounding {
			at = cell
			break
		}
		within += share
	}
	if at < 0 { // a member was lost: its rows are no longer counted
		at = last
		within -= shares[at]
	}
	shift := q.shift()
	q.prefix |= uint64(at) << shift
	q.below += within
	if q.bits = 64 - shift; q.bits < 64 && (q.bits < leastBits || shares[at] > least) {
		return
	}
	low, high := unordered(q.prefix), unordered(q.prefix|(1<<shift-1))
	part := 0.0
	if shares[at] > 0 {
		part = math.Max(0, math.Min((want-within)/shares[at], 1))
	}
	q.value, q.found = low+float64(part*(high-low)), true
}

// ordered returns whole numbers in the order of floating-point numbers; unordered is its
// inverse. Both zeros are one.
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
