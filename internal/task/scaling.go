package task

import (
	"context"
	"fmt"
	"math"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/bounds"
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
	first, _, err := columnMoments(ctx, g, rows, 1)
	if err != nil {
		return dataset.Scaling{}, nil, fmt.Errorf("means: %w", err)
	}
	count := math.Round(first[0])
	centred := dataset.Unscaled(len(first) - 1)
	for i, v := range first[1:] {
		centred.Shift[i] = v / count
	}
	second, noise, err := columnMoments(ctx, g, centred.Apply(rows), 2)
	if err != nil {
		return dataset.Scaling{}, nil, fmt.Errorf("variances: %w", err)
	}
	variance := make([]float64, len(second)-1)
	for i, v := range second[1:] {
		if v > noise[1+i] {
			variance[i] = v / count
		}
	}
	return dataset.FromMoments(count, centred.Shift, variance)
}

// columnMoments returns the number of rows of all participants and the sum of each
// column's power, and below what value a sum is nothing but rounding.
func columnMoments(ctx context.Context, g collabdict.Group, rows *mat.Dense, power int) (total, noise []float64, err error) {
	b, err := bounds.Agree(ctx, g, rows)
	if err != nil {
		return nil, nil, err
	}
	n, dim := rows.Dims()
	x := make([]float64, 1+dim)
	x[0] = float64(n)
	for i := range n {
		for j, v := range rows.RawRowView(i) {
			if power == 2 {
				v = float64(v * v)
			}
			x[1+j] += v
		}
	}
	limits := []float64{b.Rows}
	for _, rms := range b.RMS {
		limits = append(limits, b.Rows*math.Pow(rms, float64(power)))
	}
	var blocks []collabdict.Block
	for _, l := range limits {
		blocks = bounds.Append(blocks, 1, l)
	}
	if total, err = g.Sum(ctx, x, blocks); err != nil {
		return nil, nil, err
	}
	for i, l := range limits { // the chunks' rounding, and then some
		limits[i] = math.Ldexp(l, -26) * float64(g.Size())
	}
	return total, limits, nil
}
