package adaptation

import (
	"context"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/networks/cgau"
	"github.com/collabdict/collabdict/internal/testkit/lockstep"
)

// Methods.
const (
	adapted  = "CGAU"
	gated    = "gated, no conditions"
	baseline = "baseline"
)

var methods = []string{adapted, gated, baseline}

// still is a rate at which conditions stay 0.
const still = 1e-300

// config returns the settings of a method.
func (p plan) config(method string, s *set, repeat int) cgau.Config {
	c := p.model
	_, c.Inputs = s.rows.Dims()
	c.Classes, c.Seed = s.number, uint64(repeat)+1
	switch method {
	case gated:
		c.ConditionRate = still
	case baseline:
		c.Plain = true
	}
	return c
}

// train trains all members, and returns the best round of each.
func (p plan) train(ctx context.Context, c cgau.Config, members []member, repeat int) ([]cgau.Best, error) {
	out := make([]cgau.Best, len(members))
	err := lockstep.Run(ctx, len(members), func(ctx context.Context, g collabdict.Group, rank int) error {
		l := cgau.NewLearner(c, cgau.Own{Rows: members[rank].train, Held: members[rank].held, Seed: source(repeat, 100+uint64(rank)).Uint64()})
		for range p.rounds {
			if _, err := l.Round(ctx, g); err != nil {
				return err
			}
		}
		out[rank] = l.Best()
		return nil
	})
	return out, err
}

// model returns the model of a member.
func model(c cgau.Config, b cgau.Best) *cgau.Model {
	m := cgau.NewModel(c)
	copy(m.Shared().Values, b.Shared)
	copy(m.Conditions().Values, b.Conditions)
	return m
}

// outcome is the result of a training.
type outcome struct {
	Accuracy, Loss float64 // over all members' test rows, each under its own model
	Round          int     // the best
}

func (p plan) measure(ctx context.Context, c cgau.Config, members []member, repeat int) (outcome, error) {
	best, err := p.train(ctx, c, members, repeat)
	if err != nil {
		return outcome{}, err
	}
	var sum cgau.Score
	for k, m := range members {
		s, err := model(c, best[k]).Evaluate(m.test)
		if err != nil {
			return outcome{}, err
		}
		sum.Rows, sum.Correct, sum.Loss = sum.Rows+s.Rows, sum.Correct+s.Correct, sum.Loss+s.Loss
	}
	n := float64(sum.Rows)
	return outcome{float64(sum.Correct) / n, sum.Loss / n, best[0].Round}, nil
}
