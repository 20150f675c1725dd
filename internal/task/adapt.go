package task

import (
	"context"
	"fmt"

	"github.com/collabdict/collabdict/internal/dataset"
	"github.com/collabdict/collabdict/internal/model"
	"github.com/collabdict/collabdict/vae/cgau"
	"github.com/collabdict/collabdict/vae/nn"
)

// Adapt makes a model of kind cgau that of a participant which has not trained, by some rows
// of its own, and nobody else: it scales its columns, if each participant does that for
// itself, and fits its conditions to the labels by so many steps of gradient descent. Without
// labels the conditions are the mean of those of all that have trained. What is shared stays
// as it is.
func Adapt(ctx context.Context, m *model.Model, p dataset.Participant, steps int) error {
	g, ok := m.Classifier.(model.Gated)
	if !ok {
		return wrong("model", "want one of kind %s, which alone has conditions, got %s", model.CGAU, m.Manifest.Kind)
	}
	if steps < 1 {
		return wrong("steps", "want at least 1, got %d", steps)
	}
	if m.Manifest.Standardise == string(Own) {
		var err error
		if m.Scaling, _, err = OwnScaling(Normalise(m.Manifest.Normalise), p.Train); err != nil {
			return fmt.Errorf("standardise: %w", err)
		}
	}
	m.Manifest.Participant, m.Manifest.Rows = p.Name, 0
	if p.TrainLabels == nil {
		g.MeanCondition()
		return nil
	}
	classes, err := classesOf(p, p.TrainLabels, g.Classes())
	if err != nil {
		return err
	}
	values, err := nn.InMemory(m.Rows(p.Train))
	if err != nil {
		return err
	}
	clear(g.Conditions().Values)
	m.Manifest.Rows = len(classes)
	return g.Adapt(ctx, cgau.Rows{Values: values, Classes: classes}, steps)
}
