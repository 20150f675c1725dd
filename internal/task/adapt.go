package task

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/collabdict/collabdict/internal/dataset"
	"github.com/collabdict/collabdict/internal/model"
	"github.com/collabdict/collabdict/vae/cgau"
	"github.com/collabdict/collabdict/vae/nn"
)

// Adapt makes a model with conditions that of a participant which has not trained, by some
// rows of its own, and nobody else: it scales its columns, if each participant does that for
// itself, and fits its conditions by so many steps of gradient descent. What is shared stays
// as it is.
//
// A classifier is fitted to labels; without any, the conditions are the mean of those of all
// that have trained. A β-VAE is fitted to the rows themselves, a step being all batches of
// them, and has a threshold of its own. Warnings say for what the rows are too few.
func Adapt(ctx context.Context, m *model.Model, p dataset.Participant, steps int) (warnings []string, err error) {
	switch {
	case m.Conditions() == nil:
		return nil, &Error{"model", fmt.Sprintf("want one with conditions, got one of kind %s without", m.Manifest.Kind), "take one of kind cgau, or of bvae trained with --condition"}
	case m.Classifier == nil && p.TrainLabels != nil:
		return nil, &Error{"label", fmt.Sprintf("a model of kind %s adapts to rows, whatever their labels are", m.Manifest.Kind), "leave --label out"}
	case steps < 1:
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
	if g, ok := m.Classifier.(model.Gated); ok {
		oneClass, err := adaptClassifier(ctx, g, m, p, steps)
		return append(warnings, oneClass...), err
	}
	about, err := adaptAutoEncoder(ctx, m.Scorer.(model.BetaVAE), m, p, steps)
	return append(warnings, about...), err
}

func adaptClassifier(ctx context.Context, g model.Gated, m *model.Model, p dataset.Participant, steps int) (warnings []string, err error) {
	if p.TrainLabels == nil {
		g.MeanCondition()
		return nil, nil
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

func adaptAutoEncoder(ctx context.Context, of model.BetaVAE, m *model.Model, p dataset.Participant, steps int) (warnings []string, err error) {
	rows := m.Rows(p.Train)
	values, err := nn.InMemory(rows)
	if err != nil {
		return nil, err
	}
	if w := outsideWarning(values); w != "" {
		warnings = append(warnings, w)
	}
	clear(of.Conditions().Values)
	m.Manifest.Rows, _ = rows.Dims()
	if err := of.Adapt(ctx, values, steps, rand.NewPCG(m.Manifest.Hyper.Seed, 0)); err != nil {
		return warnings, err
	}
	if w := thresholdWarning(m.Manifest.Rows, m.Manifest.FalseAlarm); w != "" {
		warnings = append(warnings, w)
	}
	m.Manifest.Threshold, err = threshold(of, rows, m.Manifest.FalseAlarm)
	return warnings, err
}
