package task

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/dataset"
	"github.com/collabdict/collabdict/internal/model"
	"github.com/collabdict/collabdict/internal/report"
	"github.com/collabdict/collabdict/vae/beta"
	"github.com/collabdict/collabdict/vae/nn"
)

// weighted learns the β-VAE by weighted means of models.
type weighted struct {
	task    Task
	config  beta.Config
	own     beta.Own
	of      dataset.Participant
	classes []int  // of the rows, if weights follow from them
	outside string // warns of own values that the decoder cannot come to
	learner *beta.Learner
	kept    *beta.Model // of the last round
	rounds  int         // done
	without int         // of them, those in which nobody with a weight was there
}

func newBVAE(t Task, own ownData) (learner, error) {
	seed := t.Seed
	if t.Noise != nil {
		seed = t.Noise.Uint64()
	}
	x, err := nn.InMemory(own.rows)
	if err != nil {
		return nil, err
	}
	_, columns := own.rows.Dims()
	l := &weighted{task: t, config: t.betaVAE(columns), own: beta.Own{Rows: x, Seed: seed}, of: own.of}
	if t.Weighting.Weights == FedDisco {
		if l.classes, err = classesOf(own.of, own.of.TrainLabels, t.Networks.Classes); err != nil {
			return nil, err
		}
	}
	l.outside = outsideWarning(x)
	return l, nil
}

// Conditioned are networks whose hidden layers have conditions that are each participant's
// own, as those of cgau.
const Conditioned = "cgau"

// outsideMost is how far outside of 0 to 1 a value may be that was scaled to it.
const outsideMost = 1e-6

// outsideWarning tells of values that a decoder cannot come to; it is empty if there are none.
func outsideWarning(x []float32) string {
	outside := 0
	for _, v := range x {
		if v < -outsideMost || v > 1+outsideMost {
			outside++
		}
	}
	if outside == 0 {
		return ""
	}
	return fmt.Sprintf("%d of the %d own values are outside of 0 to 1 as trained on, which the decoder cannot come to: scale columns by --normalise minmax, or by --ranges", outside, len(x))
}

func (t Task) betaVAE(columns int) beta.Config {
	n := t.Networks
	hidden := n.Hidden
	if hidden == nil {
		hidden = []int{} // none, and not those of the default
	}
	condition := beta.Unconditioned
	if n.Condition == Conditioned {
		condition = beta.CGAU
	}
	return beta.Config{
		Condition: condition, Inputs: columns, Hidden: hidden, Latent: n.Latent, Beta: n.Beta, Rate: n.Rate, Batch: n.Batch, Epochs: n.Epochs,
		Seed: t.Seed, Weights: t.Weighting.of(),
	}
}

func checkBVAE(t Task) error {
	switch n := t.Networks; {
	case !(n.Beta > 0) || math.IsInf(n.Beta, 1):
		return wrong("beta", "want a finite value above 0, got %g", n.Beta)
	case n.Epochs < 1:
		return wrong("epochs", "want at least 1, got %d", n.Epochs)
	case n.Batch < 1:
		return wrong("batch", "want at least 1 row, got %d", n.Batch)
	case !(n.Rate > 0 && n.Rate <= 1):
		return wrong("rate", "want a value above 0 and up to 1, got %g", n.Rate)
	}
	if err := checkLatent(t.Networks.Latent); err != nil {
		return err
	}
	if err := checkHidden(t.Networks.Hidden); err != nil {
		return err
	}
	switch n := t.Networks; {
	case n.Condition != "" && n.Condition != Conditioned:
		return wrong("condition", "want %s, got %q", Conditioned, n.Condition)
	case n.Condition != "" && len(n.Hidden) == 0:
		return wrong("hidden", "want at least 1 layer, whose units have conditions, got none")
	}
	if err := checkClasses(t.Networks.Classes); err != nil {
		return err
	}
	if t.Networks.Classes != 0 && t.Weighting.Weights != FedDisco {
		return wrong("classes", "the weights %s have none", t.Weighting.Weights)
	}
	return t.Weighting.check()
}

// count sets how many of the own rows are of which class, of as many as all members have.
func (l *weighted) count(ctx context.Context, g collabdict.Group) (err error) {
	number := l.task.Networks.Classes
	if number == 0 {
		if number, err = agreeClasses(ctx, g, slices.Max(l.classes)); err != nil {
			return fmt.Errorf("classes: %w", err)
		}
	}
	if _, err := classesOf(l.of, l.of.TrainLabels, number); err != nil {
		return err // it was not in that sum
	}
	l.own.Labels = make([]int, number)
	for _, class := range l.classes {
		l.own.Labels[class]++
	}
	return nil
}

func (l *weighted) train(ctx context.Context, g collabdict.Group, after func(collabdict.Round)) (last collabdict.Round, err error) {
	if l.classes != nil {
		if err := l.count(ctx, g); err != nil {
			return last, err
		}
	}
	if l.learner, err = beta.NewLearner(l.config, l.own); err != nil {
		return last, err
	}
	if err := l.learner.Start(ctx, g); err != nil {
		return last, fmt.Errorf("start: %w", err)
	}
	for range l.task.Rounds {
		r, err := l.learner.Round(ctx, g)
		if err != nil {
			return last, err
		}
		l.keep()
		l.rounds = r.Number
		if r.Weight == 0 { // the model is as it was
			l.without++
			r.Loss = -last.Objective
		}
		last = collabdict.Round{Number: r.Number, Objective: -r.Loss}
		after(last)
	}
	return last, nil
}

// keep takes what the round has come to: a sum that fails later leaves the learner's own
// model half way.
func (l *weighted) keep() {
	if l.kept == nil {
		l.kept = beta.NewModel(l.config)
	}
	copy(l.kept.Parameters().Values, l.learner.Model().Parameters().Values)
	copy(l.kept.Conditions().Values, l.learner.Model().Conditions().Values)
}

func (l *weighted) progress(r collabdict.Round) Progress {
	own := l.task.Weighting.reported(l.learner.Standing(), r.Number)
	return Progress{Round: r, Loss: -r.Objective, Weighting: &own}
}

func (l *weighted) state() state {
	own := l.learner.Standing()
	s := state{scorer: model.BetaVAE{Model: l.kept}, totalRows: int(own.Weight.Rows), warnings: l.task.Weighting.warnings(own)}
	for _, other := range l.learner.Standings() {
		var r *report.Weighting
		if other != nil {
			other.Weight.ByRows = own.Weight.ByRows // that holds of all
			r = new(l.task.Weighting.reported(*other, l.rounds))
		}
		s.weightings = append(s.weightings, r)
	}
	if l.outside != "" {
		s.warnings = append(s.warnings, l.outside)
	}
	if l.without > 0 {
		s.warnings = append(s.warnings, fmt.Sprintf("weights: in %d of %d rounds nobody who took part had one, so that they changed nothing", l.without, l.task.Rounds))
	}
	if w := l.task.Weighting; w.Weights == Latent && l.rounds <= w.Every {
		s.warnings = append(s.warnings, fmt.Sprintf("weights: by rows alone in all %d rounds, as encoded rows count for the first time after --weigh-every %d: lower that, or raise --rounds", l.rounds, w.Every))
	}
	if w := l.collapsed(); w != "" {
		s.warnings = append(s.warnings, w)
	}
	return s
}

// leastDivergence is the mean divergence of codes from the prior, in nats, below which they
// tell next to nothing of rows.
const leastDivergence = 0.1

// measuredRows are how many of the own rows the divergence is measured on.
const measuredRows = 256

func (l *weighted) collapsed() string {
	columns := l.config.Inputs
	d, err := l.kept.Divergence(l.own.Rows[:min(len(l.own.Rows)/columns, measuredRows)*columns])
	if err != nil || d >= leastDivergence {
		return ""
	}
	return fmt.Sprintf("posterior collapse: the encoder tells at most %.2g nats of a row, so that all are decoded alike: lower --beta or --rate, or raise --rounds", d)
}
