package pipeline

import (
	"context"
	"fmt"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/model"
	"github.com/collabdict/collabdict/option"
)

// Adapt fits the private part of a model to rows of a participant that did not train. No other
// participant is needed, and the shared parameters do not change. If each participant scales
// its own columns, Adapt first finds the scaling from these rows. It takes the given number of
// gradient steps.
//
// A classifier needs labels. Other models are fitted to the rows alone and get a threshold of
// their own. Warnings list what the rows are too few for.
func Adapt(ctx context.Context, m *model.Model, p dataset.Participant, steps int) (warnings []string, err error) {
	of := m.Personal()
	switch {
	case of == nil:
		return nil, &option.Error{Name: "model", Msg: fmt.Sprintf("want a model with private conditions, got one of kind %s without", m.Manifest.Kind), Hint: "use a model whose participants have private conditions"}
	case m.Classifier() == nil && p.TrainLabels != nil:
		return nil, &option.Error{Name: "label", Msg: fmt.Sprintf("a model of kind %s adapts to rows without labels", m.Manifest.Kind), Hint: "leave --label out"}
	case steps < 1:
		return nil, option.Errorf("steps", "want at least 1, got %d", steps)
	}
	if m.Manifest.Standardise == algorithm.Own {
		var constant []int
		if m.Scaling, constant, err = OwnScaling(m.Manifest.Normalise, p.Train); err != nil {
			return nil, fmt.Errorf("standardise: %w", err)
		}
		if len(constant) > 0 {
			warnings = append(warnings, constantWarning("the rows to adapt to", p.Columns, constant))
		}
	}
	d := algorithm.Data{Name: p.Name, Rows: m.Rows(p.Train), Seed: m.Manifest.Hyper.Uint64("seed")}
	if c := m.Classifier(); c != nil && p.TrainLabels != nil {
		if d.Classes, err = classesOf(p, p.TrainLabels, c.Classes()); err != nil {
			return nil, err
		}
	}
	rows, about, err := of.Adapt(ctx, d, steps)
	warnings = append(warnings, about...)
	m.Manifest.Participant, m.Manifest.Rows = p.Name, rows
	if err != nil || m.Scorer() == nil {
		return warnings, err
	}
	if w := thresholdWarning(m.Manifest.Rows, m.Manifest.FalseAlarm); w != "" {
		warnings = append(warnings, w)
	}
	m.Manifest.Threshold, err = threshold(m, d.Rows, m.Manifest.FalseAlarm)
	return warnings, err
}
