package columnstats

import (
	"context"
	"fmt"
	"math"

	"github.com/collabdict/collabdict"
)

// Quartiles are searched in cells of the ordered floating-point numbers, whatever their size,
// so outliers have cells of their own. Each round finds cellBits more bits.
const (
	cellBits    = 5
	leastBits   = 15 // with fewer bits, a cell spans several orders of magnitude
	cellsOfBits = 1 << cellBits
	// fewShare is the share of rows below which a cell is not divided further.
	fewShare = 1.0 / 16
)

// quartile is the state of the search for one quartile.
type quartile struct {
	column int
	want   float64 // share of rows below it
	all    float64 // shares of all members
	prefix uint64  // first number of its cell
	bits   int     // bits of the cell known so far
	below  float64 // share below the cell
	value  float64
	found  bool
}

// Quartiles returns the first, second and third quartile of each column over all members' rows.
// Members count equally, however many rows they have.
//
// In each round, a member's vector holds the shares of its rows in the cells searched, and
// members learn the sum. A cell with less than a sixteenth of the rows is never divided: rows
// are assumed to be spread evenly in it. For a member alone, quartiles are exact. NaN cells are
// missing and do not count.
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

// shift returns the width, in bits, of the cells within the present one. The last cells are
// narrower.
func (q *quartile) shift() int { return max(64-q.bits-cellBits, 0) }

// cell returns the place of a value within the cell. ok is false if the value is outside.
func (q *quartile) cell(v float64) (cell int, ok bool) {
	key := ordered(v)
	if math.IsNaN(v) || q.bits > 0 && (key^q.prefix)>>(64-q.bits) != 0 {
		return 0, false
	}
	return int(key >> q.shift() & (1<<(min(q.bits+cellBits, 64)-q.bits) - 1)), true
}

// look descends into the cell with the quartile.
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
	if at < 0 { // a member was lost: its rows no longer count
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
