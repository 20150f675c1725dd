package bvae

import (
	"context"

	"github.com/collabdict/collabdict/internal/networks/beta"
	"github.com/collabdict/collabdict/lab/internal/study"
)

// version changes whenever the same run would give another result.
const version = 1

// effects are the factors of discrepancies, α in the thesis. The first one is FedAvg, whose
// model defines the weights of the others.
var effects = []float64{0, 0.1, 0.5, 0.9}

// plan describes the computations.
type plan struct {
	sets      []*set
	scenarios []scenario
	trials    func(set, scenario string) int
	// The numbers of images read and of rounds, and the model's settings.
	train, test, rounds int
	model               beta.Config
}

// Study returns the experiments.
func Study() study.Study {
	s := study.Study{
		Name: "bvae", About: "β-VAEs by weighted averages of models (Page 2024), on MNIST and Fashion-MNIST",
		Version: version,
		Run:     func(ctx context.Context, l *study.Lab) error { return planFor(l).run(ctx, l) },
	}
	for _, set := range sets() {
		s.Needs = append(s.Needs, set.files()...)
	}
	return s
}

func planFor(l *study.Lab) plan {
	p := plan{
		sets: sets(), scenarios: scenarios(), train: 60000, test: 10000, rounds: 25,
		model: beta.Config{Inputs: pixels},
		trials: func(set, scenario string) int {
			if set == "MNIST" && scenario == "NIID-2" {
				return 5
			}
			return 1
		},
	}
	if l.Quick {
		p.train, p.test, p.rounds, p.model.Epochs = 6000, 1000, 5, 2
		p.trials = func(_, _ string) int { return 1 }
	}
	return p
}

// course holds the results of the trials of a set and scenario, by effect and trial.
type course struct {
	set      *set
	scenario scenario
	runs     [][]outcome
}

// trial runs all effects.
func (c course) trial(ctx context.Context, t trialOf) error {
	for i, effect := range effects {
		o, err := study.Cell(ctx, t.Lab, t.key(effect), func(ctx context.Context) (outcome, error) { return t.train(ctx, effect) })
		if err != nil {
			return err
		}
		c.runs[i] = append(c.runs[i], o)
	}
	return nil
}

// run finishes the first trial of every set before it begins second trials, so that a study
// that is stopped has some results for each set.
func (p plan) run(ctx context.Context, l *study.Lab) error {
	var all []course
	for _, s := range p.sets {
		for _, sc := range p.scenarios {
			all = append(all, course{s, sc, make([][]outcome, len(effects))})
		}
	}
	for number, more := 1, true; more; number++ {
		more = false
		for _, c := range all {
			trials := p.trials(c.set.name, c.scenario.name)
			if number > trials {
				continue
			}
			more = more || number < trials
			if err := c.trial(ctx, trialOf{plan: p, Lab: l, set: c.set, scenario: c.scenario, number: number}); err != nil {
				return err
			}
		}
	}
	for _, c := range all {
		if err := c.chart(l); err != nil {
			return err
		}
	}
	if err := p.losses(l, all); err != nil {
		return err
	}
	return members(l, all)
}
