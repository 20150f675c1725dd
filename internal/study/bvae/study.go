package bvae

import (
	"context"

	"github.com/collabdict/collabdict/internal/study"
	"github.com/collabdict/collabdict/vae/beta"
)

// version changes whenever the same run would come to something else.
const version = 1

// effects are the factors of discrepancies, α in the thesis. The first is FedAvg, by whose
// model the others weight.
var effects = []float64{0, 0.1, 0.5, 0.9}

// plan is what is computed.
type plan struct {
	sets      []*set
	scenarios []scenario
	trials    func(set, scenario string) int
	// The numbers of images that are read, of rounds, and what a model is.
	train, test, rounds int
	model               beta.Config
}

// Study runs all of them.
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

// course is what the trials of a set and scenario came to, by effect and trial.
type course struct {
	set, scenario string
	runs          [][]outcome
}

func (p plan) run(ctx context.Context, l *study.Lab) error {
	var all []course
	for _, s := range p.sets {
		for _, sc := range p.scenarios {
			c := course{s.name, sc.name, make([][]outcome, len(effects))}
			for trial := range p.trials(s.name, sc.name) {
				t := trialOf{plan: p, Lab: l, set: s, scenario: sc, number: trial + 1}
				for i, effect := range effects {
					o, err := study.Cell(ctx, l, t.key(effect), func(ctx context.Context) (outcome, error) { return t.train(ctx, effect) })
					if err != nil {
						return err
					}
					c.runs[i] = append(c.runs[i], o)
				}
			}
			all = append(all, c)
		}
		s.train, s.test = images{}, images{} // one set at a time
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
