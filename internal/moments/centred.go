package moments

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm/ggm"
	"github.com/collabdict/collabdict/internal/columnstats"
	"github.com/collabdict/collabdict/internal/dataset"
)

// Central is what is known of the rows of all participants.
type Central struct {
	Mean []float64 // M
	// About is of the rows less their mean; Bounds hold for these.
	About  *ggm.Common
	Bounds columnstats.Bounds
}

// Centred makes a Gather of bounds and two sums, and one of each more where bounds are
// learned by sums: first of the values, then, about the common mean, of the products
// of any two, so that a mean far from zero costs no precision.
func Centred(ctx context.Context, g collabdict.Group, rows dataset.Rows) (*Central, error) {
	b, err := columnstats.Agree(ctx, g, rows)
	if err != nil {
		return nil, fmt.Errorf("means: %w", err)
	}
	c := &Central{}
	if c.Mean, err = means(ctx, g, rows, b); err != nil {
		return nil, fmt.Errorf("means: %w", err)
	}
	centred := dataset.Centred(c.Mean).Rows(rows)
	if c.Bounds, err = b.Tighten(ctx, g, centred); err != nil {
		return nil, fmt.Errorf("variances: %w", err)
	}
	if c.About, err = ggm.SumMoments(ctx, g, centred, c.Bounds); err != nil {
		return nil, fmt.Errorf("variances: %w", err)
	}
	return c, nil
}

// means returns the mean of each column over the rows of all participants.
func means(ctx context.Context, g collabdict.Group, rows dataset.Rows, b columnstats.Bounds) ([]float64, error) {
	n, dim := rows.Dims()
	x := make([]float64, 1+dim)
	x[0] = float64(n)
	if err := dataset.EachRow(rows, func(row []float64) { floats.Add(x[1:], row) }); err != nil {
		return nil, err
	}
	blocks := columnstats.AppendMoment(nil, collabdict.Counts, 1, b.Rows)
	for _, rms := range b.RMS {
		blocks = columnstats.AppendMoment(blocks, collabdict.FirstMoments, 1, b.Rows*rms)
	}
	total, err := g.Sum(ctx, x, blocks)
	if err != nil {
		return nil, err
	}
	floats.Scale(1/math.Round(total[0]), total[1:])
	return total[1:], nil
}
