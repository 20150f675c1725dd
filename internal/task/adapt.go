package task

import (
	"context"
	"fmt"
	"slices"

	"github.com/collabdict/collabdict/internal/dataset"
	"github.com/collabdict/collabdict/internal/model"
	"github.com/collabdict/collabdict/vae/cgau"
	"github.com/collabdict/collabdict/vae/nn"
)

// Adapt makes a model of kind cgau that of a participant which has not trained, by some rows
// of its own, and nobody else: it scales its columns, if each participant does that for
// itself, and fits its conditions to the labels by so many steps of gradient descent. Without
// labels the conditions are the mean of those of all that have trained. What is shared stays
// as it is. Warnings say for what the rows are too few.
func Adapt(ctx context.Context, m *model.Model, p dataset.Participant, steps int) (warnings []string, err error) {
	g, ok := m.Classifier.(model.Gated)
	if !ok {
		return nil, wrong("model", "want one of kind %s, whose conditions are fitted to classes, got %s", model.CGAU, m.Manifest.Kind)
	}
	if steps < 1 {
		return nil, wrong("steps", "want at least 1, got %d", steps)
	}
	if m.Manifest.Standardise == string(Own) {
		var constant []int
		if m.Scaling, constant, err = OwnScaling(Normalise(m.Manifest.Normalise), p.Train); err != nil {
			return nil, fmt.Errorf("standardise: %w", err)
		}
		if len(constant) > 0 {
			warnings = append(warnings, constantWarning("the rows to adapt to", p.Columns, constant))
		}
	}
	m.Manifest.Participant, m.Manifest.Rows = p.Name, 0
	if p.TrainLabels == nil {
		g.MeanCondition()
		return warnings, nil
	}
	classes, err := classesOf(p, p.TrainLabels, g.Classes())
	if err != nil {
		return nil, err
	}
	if slices.Min(classes) == slices.Max(classes) {
		warnings = append(warnings, fmt.Sprintf("classes: all %d rows to adapt to are of class %d, so nothing is learned from them but that", len(classes), classes[0]))
	}
	values, err := nn.InMemory(m.Rows(p.Train))
	if err != nil {
		return nil, err
	}
	clear(g.Conditions().Values)
	m.Manifest.Rows = len(classes)
	return warnings, g.Adapt(ctx, cgau.Rows{Values: values, Classes: classes}, steps)
}
