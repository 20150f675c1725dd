package task

import (
	"context"
	"fmt"
	"math"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/bounds"
	"github.com/collabdict/collabdict/internal/dataset"
	"gonum.org/v1/gonum/floats"
)

// scaling returns how this participant moves its rows to the coordinates trained
// on, the columns that are constant, and what was learned of all rows on the way.
func (t Task) scaling(ctx context.Context, g collabdict.Group, rows dataset.Rows) (dataset.Scaling, []int, *gmm.Common, error) {
	switch t.Standardise {
	case Own:
		s, constant, err := dataset.Own(rows)
		return s, constant, nil, err
	case None:
		_, dim := rows.Dims()
		return dataset.Unscaled(dim), nil, nil, nil
	}
	return globalScaling(ctx, g, rows)
}

// globalScaling standardises by the moments of all participants' rows, learned
// from private sums alone: first of the values, then, about the common mean, of
// the products of any two, so that a mean far from zero costs no precision. The
// learner starts from the same products.
func globalScaling(ctx context.Context, g collabdict.Group, rows dataset.Rows) (dataset.Scaling, []int, *gmm.Common, error) {
	fail := func(what string, err error) (dataset.Scaling, []int, *gmm.Common, error) {
		return dataset.Scaling{}, nil, nil, fmt.Errorf("%s: %w", what, err)
	}
	b, err := bounds.Agree(ctx, g, rows)
	if err != nil {
		return fail("means", err)
	}
	centred := dataset.Unscaled(len(b.RMS))
	if centred.Shift, err = means(ctx, g, rows, b); err != nil {
		return fail("means", err)
	}
	moved := centred.Rows(rows)
	if b, err = b.Tighten(ctx, g, moved); err != nil {
		return fail("variances", err)
	}
	common, err := gmm.SumMoments(ctx, g, moved, b)
	if err != nil {
		return fail("variances", err)
	}
	count := math.Round(common.Rows())
	variance := make([]float64, len(b.RMS))
	for i, rms := range b.RMS {
		// Below it, a sum is nothing but the chunks' rounding.
		noise := math.Ldexp(b.Rows*rms*rms, -26) * float64(g.Size())
		if v := common.Squares(i); v > noise {
			variance[i] = v / count
		}
	}
	s, constant, err := dataset.FromMoments(count, centred.Shift, variance)
	if err != nil {
		return dataset.Scaling{}, nil, nil, err
	}
	return s, constant, common.Scaled(s.Scale), nil
}

// means returns the mean of each column over the rows of all participants.
func means(ctx context.Context, g collabdict.Group, rows dataset.Rows, b bounds.Bounds) ([]float64, error) {
	n, dim := rows.Dims()
	x := make([]float64, 1+dim)
	x[0] = float64(n)
	if err := dataset.EachRow(rows, func(row []float64) { floats.Add(x[1:], row) }); err != nil {
		return nil, err
	}
	blocks := bounds.Append(nil, 1, b.Rows)
	for _, rms := range b.RMS {
		blocks = bounds.Append(blocks, 1, b.Rows*rms)
	}
	total, err := g.Sum(ctx, x, blocks)
	if err != nil {
		return nil, err
	}
	floats.Scale(1/math.Round(total[0]), total[1:])
	return total[1:], nil
}
