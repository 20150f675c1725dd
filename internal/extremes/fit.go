package extremes

import (
	"context"
	"fmt"
	"math"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/columnstats"
	"github.com/collabdict/collabdict/internal/dataset"
)

// Fit returns the scaling of each column from its smallest to its largest value over
// the rows of all members to the range from 0 to 1, with no value outside, and
// the columns that are constant as far as can be told, which keep scale 1. Members learn
// what [columnstats.Extremes] says.
func Fit(ctx context.Context, g collabdict.Group, rows dataset.Rows) (s dataset.Scaling, constant []int, err error) {
	s.Shift, s.Scale, constant, err = columnstats.Extremes(ctx, g, rows)
	return s, constant, err
}

// Own is Fit by the rows of one member, which asks nobody.
func Own(rows dataset.Rows) (s dataset.Scaling, constant []int, err error) {
	s.Shift, s.Scale, constant, err = columnstats.Own(rows)
	return s, constant, err
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
