package simulate

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/numeric/lanes"
	"github.com/collabdict/collabdict/internal/run/pipeline"
)

// pool joins the training rows of all participants: in each owner's units if participants
// standardise their own rows, and otherwise in the data's units.
func pool(t *pipeline.Task, parts []dataset.Participant) ([]rows.Scaling, *mat.Dense, error) {
	scalings := make([]rows.Scaling, len(parts))
	count, dim := 0, len(parts[0].Columns)
	for _, p := range parts {
		n, _ := p.Train.Dims()
		count += n
	}
	all := make([]float64, 0, count*dim)
	for i, p := range parts {
		scalings[i] = rows.Unscaled(dim)
		if t.ScalesOwn() {
			var err error
			if scalings[i], _, err = pipeline.OwnScaling(t.Normalise, p.Train); err != nil {
				return nil, nil, fmt.Errorf("%s: %w", p.Name, err)
			}
		}
		if err := lanes.EachRow(scalings[i].Rows(p.Train), func(row []float64) { all = append(all, row...) }); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", p.Name, err)
		}
	}
	return scalings, mat.NewDense(count, dim, all), nil
}

// labelsOf returns the labels of the pooled rows, nil if a participant has none.
func labelsOf(parts []dataset.Participant) (all []float64) {
	for _, p := range parts {
		if p.TrainLabels == nil {
			return nil
		}
		all = append(all, p.TrainLabels...)
	}
	return all
}

// allRows returns the rows of all participants, in the coordinates of training.
func allRows(ctx context.Context, t *pipeline.Task, parts []dataset.Participant) (*mat.Dense, error) {
	_, all, err := pool(t, parts)
	if err != nil {
		return nil, err
	}
	if t.ScalesOwn() {
		t = t.OfScaled()
	}
	prepared, err := t.Prepared(ctx, dataset.Participant{Columns: parts[0].Columns, Train: rows.InMemory(all)})
	if err != nil {
		return nil, err
	}
	return rows.Dense(prepared)
}
