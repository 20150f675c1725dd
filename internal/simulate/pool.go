package simulate

import (
	"context"
	"fmt"

	"github.com/collabdict/collabdict/internal/dataset"
	"github.com/collabdict/collabdict/internal/task"
	"gonum.org/v1/gonum/mat"
)

// pool puts the training rows of all participants together: each in its owner's units
// where everybody standardises by itself, else in those of the data.
func pool(t task.Task, parts []dataset.Participant) ([]dataset.Scaling, *mat.Dense, error) {
	scalings := make([]dataset.Scaling, len(parts))
	rows, dim := 0, len(parts[0].Columns)
	for _, p := range parts {
		n, _ := p.Train.Dims()
		rows += n
	}
	all := make([]float64, 0, rows*dim)
	for i, p := range parts {
		scalings[i] = dataset.Unscaled(dim)
		if t.Standardise == task.Own {
			var err error
			if scalings[i], _, err = task.OwnScaling(t.Normalise, p.Train); err != nil {
				return nil, nil, fmt.Errorf("%s: %w", p.Name, err)
			}
		}
		if err := dataset.EachRow(scalings[i].Rows(p.Train), func(row []float64) { all = append(all, row...) }); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", p.Name, err)
		}
	}
	return scalings, mat.NewDense(rows, dim, all), nil
}

// labelsOf returns the labels of the rows that pool puts together, nil if a participant
// has none.
func labelsOf(parts []dataset.Participant) (all []float64) {
	for _, p := range parts {
		if p.TrainLabels == nil {
			return nil
		}
		all = append(all, p.TrainLabels...)
	}
	return all
}

// shareRows gives the task its start from rows that are shared.
func shareRows(ctx context.Context, t *task.Task, parts []dataset.Participant) error {
	_, all, err := pool(*t, parts)
	if err != nil {
		return err
	}
	of := *t
	if t.Standardise == task.Own {
		of = t.OfScaled()
	}
	rows, err := of.Prepared(ctx, dataset.Participant{Columns: parts[0].Columns, Train: dataset.InMemory(all)})
	if err != nil {
		return err
	}
	if all, err = dataset.Dense(rows); err != nil {
		return err
	}
	return t.ShareRows(all)
}
