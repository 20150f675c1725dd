package task

import (
	"context"
	"fmt"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/dataset"
	"gonum.org/v1/gonum/mat"
)

// scaling returns how this participant moves its rows to the coordinates trained
// on, and the columns that are constant.
func (t Task) scaling(ctx context.Context, g collabdict.Group, rows *mat.Dense) (dataset.Scaling, []int, error) {
	switch t.Standardise {
	case Own:
		s, constant := dataset.Own(rows)
		return s, constant, nil
	case None:
		_, dim := rows.Dims()
		return dataset.Unscaled(dim), nil, nil
	}
	return globalScaling(ctx, g, rows)
}

// globalScaling standardises by the moments of all participants' rows, learned
// from private sums alone: first of the values, then, about the common mean, of
// the squares, so that a mean far from zero costs no precision.
func globalScaling(ctx context.Context, g collabdict.Group, rows *mat.Dense) (dataset.Scaling, []int, error) {
	count, mean, err := columnMeans(ctx, g, rows, func(v float64) float64 { return v })
	if err != nil {
		return dataset.Scaling{}, nil, fmt.Errorf("means: %w", err)
	}
	centred := dataset.Unscaled(len(mean))
	centred.Shift = mean
	_, variance, err := columnMeans(ctx, g, centred.Apply(rows), func(v float64) float64 { return v * v })
	if err != nil {
		return dataset.Scaling{}, nil, fmt.Errorf("variances: %w", err)
	}
	for i, v := range variance {
		variance[i] = max(v, 0) // the chunks' rounding may leave less
	}
	return dataset.FromMoments(count, mean, variance)
}

// columnMeans returns the number of rows of all participants, and the mean of f
// over each column.
func columnMeans(ctx context.Context, g collabdict.Group, rows *mat.Dense, f func(float64) float64) (count float64, means []float64, err error) {
	bounds, err := gmm.AgreeBounds(ctx, g, rows)
	if err != nil {
		return 0, nil, err
	}
	n, dim := rows.Dims()
	x := make([]float64, 1+dim)
	x[0] = float64(n)
	for i := range n {
		for j, v := range rows.RawRowView(i) {
			x[1+j] += f(v)
		}
	}
	total, err := g.Sum(ctx, x, bounds.Columns(f))
	if err != nil {
		return 0, nil, err
	}
	for i := range total[1:] {
		total[1+i] /= total[0]
	}
	return total[0], total[1:], nil
}
