package task

import (
	"context"
	"math"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm/ggm"
	"github.com/collabdict/collabdict/internal/dataset"
	"github.com/collabdict/collabdict/internal/extremes"
	"github.com/collabdict/collabdict/internal/moments"
)

// scaling returns how this participant moves its rows to the coordinates trained
// on, the columns that are constant, and what was learned of all rows on the way.
func (t Task) scaling(ctx context.Context, g collabdict.Group, columns []string, rows dataset.Rows) (dataset.Scaling, []int, *ggm.Common, error) {
	switch t.Standardise {
	case Own:
		s, constant, err := OwnScaling(t.Normalise, rows)
		return s, constant, nil, err
	case Agreed:
		s, err := t.Ranges.scaling(columns)
		return s, nil, nil, err
	case None:
		_, dim := rows.Dims()
		return dataset.Unscaled(dim), nil, nil, nil
	}
	if t.Normalise == MinMax {
		s, constant, err := extremes.Fit(ctx, g, rows)
		return s, constant, nil, err
	}
	return globalScaling(ctx, g, rows)
}

// globalScaling standardises by the moments of all participants' rows, learned
// from private sums alone. The learner starts from the same products.
func globalScaling(ctx context.Context, g collabdict.Group, rows dataset.Rows) (dataset.Scaling, []int, *ggm.Common, error) {
	of, err := moments.Centred(ctx, g, rows)
	if err != nil {
		return dataset.Scaling{}, nil, nil, err
	}
	count := math.Round(of.About.Rows())
	variance := make([]float64, len(of.Mean))
	for i, rms := range of.Bounds.RMS {
		// Below it, a sum is nothing but the chunks' rounding.
		noise := math.Ldexp(of.Bounds.Rows*rms*rms, -26) * float64(g.Size())
		if v := of.About.Squares(i); v > noise {
			variance[i] = v / count
		}
	}
	s, constant, err := dataset.FromMoments(count, of.Mean, variance)
	if err != nil {
		return dataset.Scaling{}, nil, nil, err
	}
	return s, constant, of.About.Scaled(s.Scale), nil
}
