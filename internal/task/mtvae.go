package task

import (
	"context"
	"fmt"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/model"
	"github.com/collabdict/collabdict/internal/report"
	"github.com/collabdict/collabdict/vae/multitask"
)

// Networks are the settings of mtvae, as those of [multitask.Config], of bvae, as those of
// [beta.Config], and of cgau, as those of [cgau.Config].
type Networks struct {
	Latent     int
	Hidden     []int // units of hidden layers: of mtvae of the decoder, of bvae of the encoder, of cgau all
	Batch      int
	Rate       float64
	Aggressive int // 0 and 1: as many steps of the encoder as of the decoder
	Beta       float64
	Epochs     int
	Condition  string // of bvae: empty or Conditioned
	Classes    int    // 0: one more than the largest of all members, which a sum tells
	Dropout    float64
}

// units writes hidden layers; none are empty.
func units(hidden []int) string {
	if len(hidden) == 0 {
		return ""
	}
	return fmt.Sprint(hidden)
}

// healthEvery is the number of rounds after which an encoder is measured where a round is
// but one step.
const healthEvery = 10

// sharedDecoder learns the multi-task variational auto-encoder.
type sharedDecoder struct {
	task    Task
	columns int
	learner *multitask.Learner
	kept    *multitask.Model  // of the last round
	health  *multitask.Health // of it; nil if it was not measured
}

// newMTVAE draws what the encoder learns with from a seed of the participant's own. Who is
// alone tells nobody anything, and needs no secret.
func newMTVAE(t Task, own ownData) (learner, error) {
	seed := t.Seed
	if t.Noise != nil {
		seed = t.Noise.Uint64()
	}
	l, err := multitask.NewLearner(own.rows, t.autoEncoder(), seed)
	if err != nil {
		return nil, err
	}
	_, columns := own.rows.Dims()
	return &sharedDecoder{task: t, columns: columns, learner: l}, nil
}

func (t Task) autoEncoder() multitask.Config {
	n := t.Networks
	return multitask.Config{
		Latent: n.Latent, Hidden: n.Hidden, LocalSteps: t.LocalSteps,
		Batch: n.Batch, Rate: n.Rate, Aggressive: n.Aggressive, Seed: t.Seed,
	}
}

func checkMTVAE(t Task) error {
	switch n := t.Networks; {
	case t.LocalSteps < 0:
		return wrong("local-steps", "want at least 1, or 0 to sum gradients, got %d", t.LocalSteps)
	case n.Batch < 1:
		return wrong("batch", "want at least 1 row, got %d", n.Batch)
	case !(n.Rate > 0 && n.Rate <= 1):
		return wrong("rate", "want a value above 0 and up to 1, got %g", n.Rate)
	case n.Aggressive < 0:
		return wrong("aggressive", "want at least 0 steps, got %d", n.Aggressive)
	}
	if err := checkLatent(t.Networks.Latent); err != nil {
		return err
	}
	return checkHidden(t.Networks.Hidden)
}

func (l *sharedDecoder) train(ctx context.Context, g collabdict.Group, after func(collabdict.Round)) (collabdict.Round, error) {
	return collabdict.Train(ctx, g, l.learner, collabdict.Options{Rounds: l.task.Rounds, OnRound: func(r collabdict.Round) {
		l.keep(r.Number)
		after(r)
	}})
}

// keep takes what the round has come to: a sum that fails later leaves the learner's own
// networks half way.
func (l *sharedDecoder) keep(round int) {
	if l.kept == nil {
		l.kept = multitask.NewModel(l.columns, l.task.autoEncoder())
	}
	l.kept.SetFrom(l.learner.Model())
	l.health = nil
	if l.task.LocalSteps == 0 && round%healthEvery != 0 && round != l.task.Rounds {
		return
	}
	if h, err := l.learner.Health(); err == nil { // else the next round tells
		l.health = &h
	}
}

func (l *sharedDecoder) progress(r collabdict.Round) Progress {
	p := Progress{Round: r, Loss: -r.Objective}
	if h := l.health; h != nil {
		p.Encoder = &report.Encoder{Information: h.Information, KL: h.KL, Active: h.Active, Latent: h.Latent}
	}
	return p
}

func (l *sharedDecoder) state() state {
	s := state{scorer: model.AutoEncoder{Model: l.kept}, totalRows: l.learner.TotalRows()}
	if h := l.health; h != nil && h.Collapsed {
		s.warnings = append(s.warnings, fmt.Sprintf("posterior collapse: the encoder tells %.2g nats of a row, with %d of %d dimensions active, so that scores hardly know which pattern a row is of: raise --aggressive or --rounds, or lower --latent", h.Information, h.Active, h.Latent))
	}
	return s
}
