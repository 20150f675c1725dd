package columnstats

import (
	"context"
	"fmt"
	"math"

	"github.com/collabdict/collabdict"
)

// A range is divided into cells, and each round descends into one of them. After the last
// round, an end of the range is known to 1 in cells^rounds = 2³⁰ of the widest range that the
// columns' root mean squares allow.
const (
	cells  = 32
	rounds = 6
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
	low, size, constant = ranges(top, func(column int) float64 { return 4 * width[column] })
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

// ranges returns the ranges between ends. A column is constant if its range is within the
// error.
func ranges(ends []float64, most func(column int) float64) (low, size []float64, constant []int) {
	dim := len(ends) / 2
	low, size = make([]float64, dim), make([]float64, dim)
	for j := range dim {
		if math.IsInf(ends[j], -1) { // no value
			constant, size[j] = append(constant, j), 1
			continue
		}
		low[j] = -ends[dim+j]
		if size[j] = ends[j] + ends[dim+j]; !(size[j] > most(j)) {
			size[j] = 1
			constant = append(constant, j)
		}
	}
	return low, size, constant
}

// ends returns the largest value of each column, followed by the largest of its negated values.
func ends(rows collabdict.Rows) ([]float64, error) {
	_, dim := rows.Dims()
	own := make([]float64, 2*dim)
	for i := range own {
		own[i] = math.Inf(-1)
	}
	err := eachRow(rows, func(row []float64) {
		for j, v := range row {
			if v != v { // missing
				continue
			}
			own[j], own[dim+j] = math.Max(own[j], v), math.Max(own[dim+j], -v)
		}
	})
	return own, err
}

// search returns an upper bound of each value over all members, at most its width above the
// largest.
func search(ctx context.Context, g collabdict.Group, own []float64, b Bounds) (top, width []float64, err error) {
	low := make([]float64, len(own))
	top, width = make([]float64, len(own)), make([]float64, len(own))
	_, rowsExp := math.Frexp(math.Sqrt(b.Rows))
	for i := range own {
		// |x| ≤ RMS·√N for every value of a column. All edges of cells are whole multiples of a
		// power of two.
		half := b.RMS[i%len(b.RMS)] * math.Ldexp(1, rowsExp)
		low[i], width[i] = -half, 2*half
	}
	inside, cell := make([]bool, len(own)), make([]int, len(own))
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
			if found < 0 { // the member with this value was lost: the bound found so far holds
				found = cells - 1
			}
			inside[i] = inside[i] && cell[i] == found
			low[i] += float64(float64(found) * width[i])
			top[i] = low[i] + width[i]
		}
	}
	return top, width, nil
}

// highestCell returns the last cell with a member, −1 if there is none.
func highestCell(counts []float64) int {
	for i := len(counts) - 1; i >= 0; i-- {
		if counts[i] > 0.5 {
			return i
		}
	}
	return -1
}
