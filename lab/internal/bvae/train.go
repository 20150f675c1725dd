package bvae

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/networks/beta"
	"github.com/collabdict/collabdict/internal/networks/discrepancy"
	"github.com/collabdict/collabdict/internal/testkit/lockstep"
	"github.com/collabdict/collabdict/lab/internal/study"
)

// outcome is the result of one run.
type outcome struct {
	// Losses are the losses of the test images after each round. They are missing if no member
	// had a defined weight.
	Losses  []beta.Loss
	Members []part
}

// part is a member's share of the images.
type part struct {
	Rows                int
	Discrepancy, Weight float64
}

// trialOf is one deal of the images of a set. All its runs start from the same parameters, and
// members draw the same random numbers.
type trialOf struct {
	plan
	*study.Lab
	set      *set
	scenario scenario
	number   int
}

func (t trialOf) key(effect float64) string {
	weights := "FedAvg"
	if effect != 0 {
		weights = fmt.Sprintf("a=%g", effect)
	}
	return fmt.Sprintf("%s %s, %s, trial %d", t.set.name, t.scenario.name, weights, t.number)
}

// path returns the file of a run's model.
func (t trialOf) path(effect float64) string {
	return t.Out("bvae.models/" + strings.NewReplacer(", ", "-", " ", "-").Replace(t.key(effect)) + ".npz")
}

// identity identifies the run that a file belongs to.
func (t trialOf) identity(effect float64) string {
	return fmt.Sprintf("version %d: %s, %d images, %d rounds of %d epochs", version, t.key(effect), t.plan.train, t.rounds, t.model.Epochs)
}

func (t trialOf) config(effect float64) (beta.Config, error) {
	c := t.model
	c.Seed = uint64(t.number)
	if effect == 0 {
		return c, nil
	}
	shapes := beta.NewModel(c).Parameters().Shapes
	by, err := readCheckpoint(t.path(0), t.identity(0), shapes)
	if err != nil {
		return c, err
	}
	if by == nil || len(by.Losses) < t.rounds {
		return c, fmt.Errorf("%s: want the model that was trained by FedAvg, got none; delete the line of its cell %q, so that it is trained anew", t.path(0), t.key(0))
	}
	c.Weights = beta.Weighting{Rule: discrepancy.Rule{A: effect}, By: beta.Latent, Pretrained: by.values}
	return c, nil
}

func (t trialOf) train(ctx context.Context, effect float64) (outcome, error) {
	c, err := t.config(effect)
	if err != nil {
		return outcome{}, err
	}
	learners, out, err := t.members(c)
	if err != nil {
		return outcome{}, err
	}
	shapes := learners[0].Model().Parameters().Shapes
	saved, err := readCheckpoint(t.path(effect), t.identity(effect), shapes)
	if err != nil {
		return outcome{}, err
	}
	at := checkpoint{Run: t.identity(effect)}
	if saved != nil {
		at = *saved
		err = restore(learners, at)
	} else {
		err = each(ctx, learners, (*beta.Learner).Start)
	}
	if err != nil {
		return outcome{}, err
	}
	at.Members = nil
	for i, l := range learners {
		s := l.Standing()
		at.Members = append(at.Members, s)
		out.Members[i].Discrepancy, out.Members[i].Weight = s.Discrepancy, s.Weight.P
	}
	if effect != 0 && learners[0].Standing().Weight.ByRows {
		return out, nil
	}
	test := t.set.rows(t.set.test, nil)
	for len(at.Losses) < t.rounds {
		if err := t.round(ctx, learners, &at, test); err != nil {
			return outcome{}, err
		}
		if err := at.write(t.path(effect), shapes); err != nil {
			return outcome{}, err
		}
	}
	out.Losses = at.Losses
	return out, nil
}

// members deals the images.
func (t trialOf) members(c beta.Config) (learners []*beta.Learner, out outcome, err error) {
	if err := t.set.read(t.Lab, t.plan.train, t.test); err != nil {
		return nil, outcome{}, err
	}
	hands, err := t.scenario.deal(t.set.train.labels, uint64(t.number))
	if err != nil {
		return nil, outcome{}, err
	}
	for rank, hand := range hands {
		learners = append(learners, beta.NewLearner(c, beta.Own{
			Rows: t.set.rows(t.set.train, hand), Seed: rand.New(rand.NewPCG(uint64(t.number), uint64(rank))).Uint64(),
		}))
		out.Members = append(out.Members, part{Rows: len(hand)})
	}
	return learners, out, nil
}

func restore(learners []*beta.Learner, from checkpoint) error {
	if len(from.Members) != len(learners) {
		return fmt.Errorf("want a checkpoint of %d members, got %d", len(learners), len(from.Members))
	}
	for i, l := range learners {
		if err := l.Restore(beta.State{Rounds: len(from.Losses), Values: from.values, Standing: from.Members[i]}); err != nil {
			return err
		}
	}
	return nil
}

// each calls f for all members in one process, with plain sums.
func each(ctx context.Context, learners []*beta.Learner, f func(l *beta.Learner, ctx context.Context, g collabdict.Group) error) error {
	return lockstep.Run(ctx, len(learners), func(ctx context.Context, g collabdict.Group, rank int) error {
		return f(learners[rank], ctx, g)
	})
}

// round trains for one round, and measures the loss of the test images with the same noise each
// time.
func (t trialOf) round(ctx context.Context, learners []*beta.Learner, at *checkpoint, test []float32) error {
	err := each(ctx, learners, func(l *beta.Learner, ctx context.Context, g collabdict.Group) error {
		_, err := l.Round(ctx, g)
		return err
	})
	if err != nil {
		return err
	}
	m := learners[0].Model()
	loss, err := m.Evaluate(test, rand.NewPCG(uint64(t.number), 3))
	if err != nil {
		return err
	}
	at.Losses, at.values = append(at.Losses, loss), m.Parameters().Values
	t.Note("  round %d of %d, test loss %.2f", len(at.Losses), t.rounds, loss.Total)
	return nil
}
