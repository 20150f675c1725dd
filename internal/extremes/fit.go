package extremes

import (
	"context"
	"fmt"
	"math"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/bounds"
	"github.com/collabdict/collabdict/internal/dataset"
)

// A range is searched in cells, and each round looks into one cell: after the last a
// bound is known to 1 in cells^rounds = 2³⁰ of the widest range that the columns' root
// mean squares allow for.
const (
	cells  = 32
	rounds = 6
)

// Fit returns the scaling of each column from its smallest to its largest value over
// the rows of all members to the range from 0 to 1, with no value outside, and
// the columns that are constant as far as can be told, which keep scale 1.
//
// In each round a member counts in the cell that its own extreme value is in, if that
// is one of those searched, and the sum of these counts is what members learn: how
// many of them are in which cell, and not who.
func Fit(ctx context.Context, g collabdict.Group, rows dataset.Rows) (s dataset.Scaling, constant []int, err error) {
	b, err := bounds.Agree(ctx, g, rows)
	if err != nil {
		return dataset.Scaling{}, nil, fmt.Errorf("extremes: %w", err)
	}
	_, dim := rows.Dims()
	own, err := ends(rows)
	if err != nil {
		return dataset.Scaling{}, nil, fmt.Errorf("extremes: %w", err)
	}
	top, width, err := search(ctx, g, own, b)
	if err != nil {
		return dataset.Scaling{}, nil, fmt.Errorf("extremes: %w", err)
	}
	s = dataset.Unscaled(dim)
	for j := range dim {
		s.Shift[j] = -top[dim+j]
		if size := top[j] + top[dim+j]; size > 4*width[j] {
			s.Scale[j] = size
		} else {
			constant = append(constant, j)
		}
	}
	return s, constant, nil
}

// Own is Fit by the rows of one member, which asks nobody.
func Own(rows dataset.Rows) (s dataset.Scaling, constant []int, err error) {
	own, err := ends(rows)
	if err != nil {
		return dataset.Scaling{}, nil, err
	}
	_, dim := rows.Dims()
	s = dataset.Unscaled(dim)
	for j := range dim {
		s.Shift[j] = -own[dim+j]
		if size := own[j] + own[dim+j]; size > 0 {
			s.Scale[j] = size
		} else {
			constant = append(constant, j)
		}
	}
	return s, constant, nil
}

// ends returns the largest value of each column, and then that of the negated values,
// which is the smallest.
func ends(rows dataset.Rows) ([]float64, error) {
	_, dim := rows.Dims()
	own := make([]float64, 2*dim)
	for i := range own {
		own[i] = math.Inf(-1)
	}
	return own, dataset.EachRow(rows, func(row []float64) {
		for j, v := range row {
			own[j], own[dim+j] = math.Max(own[j], v), math.Max(own[dim+j], -v)
		}
	})
}

// search returns an upper bound of each value over all members that is no more than
// its width above the largest.
func search(ctx context.Context, g collabdict.Group, own []float64, b bounds.Bounds) (top, width []float64, err error) {
	low := make([]float64, len(own))
	top, width = make([]float64, len(own)), make([]float64, len(own))
	_, rowsExp := math.Frexp(math.Sqrt(b.Rows))
	for i := range own {
		// |x| ≤ RMS·√N for every value of a column. All edges of cells are whole
		// multiples of a power of two.
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
				// A value that is next to nothing below an edge may come out on it.
				cell[i] = max(0, min(cells-1, int(math.Floor((v-low[i])/width[i]))))
				counts[cells*i+cell[i]] = 1
			}
		}
		total, err := g.Sum(ctx, counts, bounds.Append(nil, len(counts), 1))
		if err != nil {
			return nil, nil, fmt.Errorf("sum %d of %d: %w", round+1, rounds, err)
		}
		for i := range own {
			found := highest(total[cells*i : cells*(i+1)])
			if found < 0 { // the member that has it was lost: what is known of it holds
				found = cells - 1
			}
			inside[i] = inside[i] && cell[i] == found
			low[i] += float64(float64(found) * width[i])
			top[i] = low[i] + width[i]
		}
	}
	return top, width, nil
}

// highest returns the last cell that a member is counted in, −1 if none is.
func highest(counts []float64) int {
	for i := len(counts) - 1; i >= 0; i-- {
		if counts[i] > 0.5 {
			return i
		}
	}
	return -1
}

// Ranges returns the scaling of each column from an agreed range to that from 0 to 1.
// Values outside of it come to be outside too.
func Ranges(low, high []float64) (dataset.Scaling, error) {
	if len(low) != len(high) {
		panic("extremes: low and high have different lengths")
	}
	s := dataset.Unscaled(len(low))
	for j, l := range low {
		size := high[j] - l
		if !(size > 0) || math.IsInf(size, 1) {
			return dataset.Scaling{}, fmt.Errorf("extremes: column %d: want a finite range from a lower to a higher value, got %g to %g", j+1, l, high[j])
		}
		s.Shift[j], s.Scale[j] = l, size
	}
	return s, nil
}
