package columnstats

import (
	"context"
	"fmt"
	"math"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/numeric/lanes"
)

// The search for an end begins with an interval that holds every value that the root mean squares
// allow. Each round divides it into cells, and takes the highest one with a member's value as the
// next interval. So after the last round, an end is known to 1 in cells^rounds = 2³⁰ of the first.
const (
	cells  = 32
	rounds = 6
	// constantWidths is the size of a column, in widths of the last cell, up to which it counts as
	// constant. Both ends together may be two widths too far out. In a size of four widths or
	// less, that error may be more than the column's own range.
	constantWidths = 4
)

// Extremes returns for each column a value close below the smallest over all members' rows, and
// the distance from it to a value close above the largest. Columns that are constant to this
// precision are listed, with size 1.
//
// In each round, a member counts in the cell with its own extreme value, if that cell is among
// those searched. Members learn the sum of these counts: the number of members per cell, but
// not which ones.
func Extremes(ctx context.Context, g collabdict.Group, rows collabdict.Rows) (low, size []float64, constant []int, err error) {
	b, err := Agree(ctx, g, rows)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("extremes: %w", err)
	}
	own, err := ends(rows)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("extremes: %w", err)
	}
	top, width, err := search(ctx, g, own, b)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("extremes: %w", err)
	}
	low, size, constant = ranges(top, func(column int) float64 { return constantWidths * width[column] })
	return low, size, constant, nil
}

// OwnExtremes returns the exact extremes of one member's rows, without a group.
func OwnExtremes(rows collabdict.Rows) (low, size []float64, constant []int, err error) {
	own, err := ends(rows)
	if err != nil {
		return nil, nil, nil, err
	}
	low, size, constant = ranges(own, func(int) float64 { return 0 })
	return low, size, constant, nil
}

// ranges returns the smallest value and the range of each column, given the ends of all columns
// in the order of the function ends. A column is constant if its range is within the tolerance.
func ranges(top []float64, tolerance func(column int) float64) (low, size []float64, constant []int) {
	dim := len(top) / 2
	low, size = make([]float64, dim), make([]float64, dim)
	for j := range dim {
		if math.IsInf(top[j], -1) { // no value
			constant, size[j] = append(constant, j), 1
			continue
		}
		low[j] = -top[dim+j]
		if size[j] = top[j] + top[dim+j]; !(size[j] > tolerance(j)) {
			size[j] = 1
			constant = append(constant, j)
		}
	}
	return low, size, constant
}

// ends returns the largest value of each column, followed by the largest negated value of each,
// which is the smallest value negated.
func ends(rows collabdict.Rows) ([]float64, error) {
	parts, err := endsOfLane.Over(rows, struct{}{})
	if err != nil {
		return nil, err
	}
	own := parts[0]
	for _, part := range parts[1:] {
		for i, v := range part {
			own[i] = math.Max(own[i], v)
		}
	}
	return own, nil
}

var endsOfLane = lanes.NewJob("ends of columns", func(l *lanes.Lane, _ struct{}) ([]float64, error) {
	own := make([]float64, 2*l.Dim)
	for i := range own {
		own[i] = math.Inf(-1)
	}
	return own, l.Each(func(row []float64) {
		for j, v := range row {
			if v != v { // missing
				continue
			}
			own[j], own[l.Dim+j] = math.Max(own[j], v), math.Max(own[l.Dim+j], -v)
		}
	})
})

// search returns an upper bound of each of the members' own ends, and how far it may be above the
// largest of them: the width of the last cell.
//
// If all members with values in an interval are lost, nobody counts in it any more. Its upper edge
// then stays the bound, and may be further above the values of the others than the width.
func search(ctx context.Context, g collabdict.Group, own []float64, b Bounds) (top, width []float64, err error) {
	low := make([]float64, len(own)) // lower edges of the intervals
	top, width = make([]float64, len(own)), make([]float64, len(own))
	_, rowsExp := math.Frexp(math.Sqrt(b.Rows))
	for i := range own {
		// |x| ≤ RMS·√N for every value of a column. RMS and the bound of √N are powers of two, so
		// the width of a cell is one, too. Edges are whole multiples of it, fewer than 2⁵³, and so
		// have no rounding error.
		half := b.RMS[i%len(b.RMS)] * math.Ldexp(1, rowsExp)
		low[i], width[i] = -half, 2*half
	}
	inside := make([]bool, len(own)) // whether the own value is in the interval
	cell := make([]int, len(own))    // cell of the own value in this round, if it is inside
	for i := range inside {
		inside[i] = true
	}
	for round := range rounds {
		counts := make([]float64, cells*len(own))
		for i, v := range own {
			width[i] /= cells
			if inside[i] {
				// A value just below an edge may round onto it.
				cell[i] = max(0, min(cells-1, int(math.Floor((v-low[i])/width[i]))))
				counts[cells*i+cell[i]] = 1
			}
		}
		total, err := g.Sum(ctx, collabdict.Summand{Entry: ExtremesEntry, Values: counts, Blocks: AppendBlock(nil, len(counts), 1)})
		if err != nil {
			return nil, nil, fmt.Errorf("sum %d of %d: %w", round+1, rounds, err)
		}
		for i := range own {
			found := highestCell(total[cells*i : cells*(i+1)])
			if found < 0 { // the member with this value is lost: keep the upper edge
				found = cells - 1
			}
			inside[i] = inside[i] && cell[i] == found
			low[i] += float64(float64(found) * width[i])
			top[i] = low[i] + width[i]
		}
	}
	return top, width, nil
}

// highestCell returns the last cell with a member, or −1 if there is none.
func highestCell(counts []float64) int {
	for i := len(counts) - 1; i >= 0; i-- {
		if counts[i] > 0.5 {
			return i
		}
	}
	return -1
}
