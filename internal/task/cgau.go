package task

import (
	"context"
	"fmt"
	"slices"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/dataset"
	"github.com/collabdict/collabdict/internal/model"
	"github.com/collabdict/collabdict/vae/cgau"
	"github.com/collabdict/collabdict/vae/nn"
)

// momentum is that of gradient descent.
const momentum = 0.9

// adaptive learns a classifier with conditions of the participant's own.
type adaptive struct {
	task    Task
	of      dataset.Participant
	rows    cgau.Rows
	columns int
	seed    uint64
	learner *cgau.Learner
	kept    *cgau.Model // of the last round
	total   int         // rows of all in it
}

// newCGAU draws the order of the rows, and dropout, by a seed of the participant's own. Who
// is alone tells nobody anything, and needs no secret.
func newCGAU(t Task, own ownData) (learner, error) {
	l := &adaptive{task: t, of: own.of, seed: t.Seed}
	if t.Noise != nil {
		l.seed = t.Noise.Uint64()
	}
	_, l.columns = own.rows.Dims()
	classes, err := classesOf(own.of, own.of.TrainLabels, t.Networks.Classes)
	if err != nil {
		return nil, err
	}
	l.rows.Classes = classes
	l.rows.Values, err = nn.InMemory(own.rows)
	return l, err
}

func checkCGAU(t Task) error {
	if err := checkClasses(t.Networks.Classes); err != nil {
		return err
	}
	switch n := t.Networks; {
	case t.LocalSteps < 1:
		return wrong("local-steps", "want at least 1, got %d", t.LocalSteps)
	case len(n.Hidden) == 0:
		return wrong("hidden", "want at least 1 layer, whose units have conditions, got none")
	case n.Batch < 1:
		return wrong("batch", "want at least 1 row, got %d", n.Batch)
	case !(n.Rate > 0 && n.Rate <= 1):
		return wrong("rate", "want a value above 0 and up to 1, got %g", n.Rate)
	case !(n.Dropout >= 0 && n.Dropout <= 0.99):
		return wrong("dropout", "want a probability from 0 to 0.99, got %g", n.Dropout)
	}
	return checkHidden(t.Networks.Hidden)
}

// gated is the configuration of the network for so many classes.
func (t Task) gated(columns, classes int) cgau.Config {
	n := t.Networks
	return cgau.Config{
		Inputs: columns, Classes: classes, Hidden: n.Hidden, Dropout: n.Dropout,
		Rate: n.Rate, Momentum: momentum, Batch: n.Batch, Steps: t.LocalSteps, Seed: t.Seed,
	}
}

func (l *adaptive) train(ctx context.Context, g collabdict.Group, after func(collabdict.Round)) (last collabdict.Round, err error) {
	classes := l.task.Networks.Classes
	labels := slices.Concat(l.of.TrainLabels, l.of.TestLabels) // it is measured on the latter
	if classes == 0 {
		if classes, err = agreeClasses(ctx, g, int(slices.Max(labels))); err != nil {
			return last, fmt.Errorf("classes: %w", err)
		}
	}
	if _, err := classesOf(l.of, labels, classes); err != nil {
		return last, err // it was not in that sum
	}
	c := l.task.gated(l.columns, classes)
	if l.learner, err = cgau.NewLearner(c, cgau.Own{Rows: l.rows, Seed: l.seed}); err != nil {
		return last, err
	}
	l.kept = cgau.NewModel(c)
	for range l.task.Rounds {
		r, err := l.learner.Round(ctx, g)
		if err != nil {
			return last, err
		}
		// A sum that fails later leaves the learner's own model half way.
		copy(l.kept.Shared().Values, l.learner.Model().Shared().Values)
		copy(l.kept.Conditions().Values, l.learner.Model().Conditions().Values)
		l.total = r.Rows
		last = collabdict.Round{Number: r.Number, Objective: -r.Loss}
		after(last)
	}
	return last, nil
}

func (l *adaptive) progress(r collabdict.Round) Progress {
	return Progress{Round: r, Loss: -r.Objective}
}

func (l *adaptive) state() state {
	s := state{classifier: model.Gated{Model: l.kept}, totalRows: l.total}
	if of := l.rows.Classes; slices.Min(of) == slices.Max(of) {
		s.warnings = append(s.warnings, fmt.Sprintf("classes: all %d own training rows are of class %d, so nothing is learned from them but that", len(of), of[0]))
	}
	return s
}
