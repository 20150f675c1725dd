package multitask

import (
	"context"
	"fmt"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/networks"
	"github.com/collabdict/collabdict/option"
)

// Kind describes the algorithm to the program.
var Kind = algorithm.Kind{
	Name:  "mtvae",
	About: "a variational auto-encoder with a shared decoder, by private sums",
	New:   func() algorithm.Algorithm { return &Settings{} },
}

// Settings are the settings that members agree on.
type Settings struct {
	Rounds     int
	LocalSteps int // 0 sums gradients
	Latent     int
	Hidden     []int // units of the decoder's hidden layers
	Batch      int
	Rate       float64
	Aggressive int // 0 and 1 mean one encoder step per decoder step
}

// Options returns the options that set the fields.
func (s *Settings) Options() option.Table {
	return option.Table{
		networks.Rounds(&s.Rounds, 150),
		option.Int(&s.LocalSteps, "local-steps", 20, "number of training `STEPS` that each member makes between two sums; more steps need fewer rounds, and 0 sums the gradients of every step", option.Check(func(steps int) error {
			if steps < 0 {
				return fmt.Errorf("want at least 1, or 0 to sum gradients, got %d", steps)
			}
			return nil
		})),
		networks.Latent(&s.Latent),
		networks.Hidden(&s.Hidden, []int{64}, "`UNITS` of the decoder's hidden layers, from first to last, separated by commas; the encoder has the same in reverse"),
		networks.Batch(&s.Batch, 128),
		networks.Rate(&s.Rate, 1e-3, "Adam"),
		option.Int(&s.Aggressive, "aggressive", 0, "make up to `N` encoder steps per decoder step while the encoder lags behind, against posterior collapse; 0 always makes one", option.AtLeast(0)).ForExperts(),
	}
}

// Prepare does nothing, because no settings conflict.
func (s *Settings) Prepare(algorithm.Coordinates) error { return nil }

// Traits returns what the settings require of a run.
func (s *Settings) Traits() algorithm.Traits {
	return algorithm.Traits{
		Rounds: s.Rounds, HoldsRows: true, HoldsOut: true, LeastRows: 1, Objective: "minus the loss of a row",
		Values: func(columns int) int {
			return networks.Weights(columns, networks.Backwards(s.Hidden), 1, 2*s.Latent) + networks.Weights(s.Latent, s.Hidden, 1, 2*columns)
		},
	}
}

// Disclosure returns what members reveal to each other, besides sums of networks.
func (s *Settings) Disclosure(algorithm.Coordinates) algorithm.Disclosure {
	what := "the gradient of the decoder"
	if s.LocalSteps > 0 {
		what = "the change of the decoder"
	}
	return algorithm.Disclosure{RowsBound: true, Conserved: algorithm.RowCounts, Items: []algorithm.Item{{
		Entry: updatesEntry, What: what + " and the lower bound, times the number of rows, and that number", Form: algorithm.Summed, When: algorithm.EachRound,
	}}}
}

// updatesEntry names the totals of a [Learner].
const updatesEntry collabdict.Entry = "updates"

func (s *Settings) config(seed uint64) Config {
	return Config{
		Latent: s.Latent, Hidden: s.Hidden, LocalSteps: s.LocalSteps,
		Batch: s.Batch, Rate: s.Rate, Aggressive: s.Aggressive, Seed: seed,
	}
}

// healthEvery is the number of rounds between two measurements of the encoder, if each round is
// a single step.
const healthEvery = 10

// Learn runs one participant's part of the training. A seed that only this participant knows
// makes the encoder's draws.
func (s *Settings) Learn(ctx context.Context, g collabdict.Group, d algorithm.Data, after func(algorithm.Progress)) (algorithm.Outcome, error) {
	c := s.config(d.Seed)
	l, err := NewLearner(d.Rows, c, networks.Seed(d))
	if err != nil {
		return algorithm.Outcome{}, err
	}
	_, columns := d.Rows.Dims()
	// A sum that fails later leaves the learner's own networks half way.
	kept := NewModel(columns, c)
	var health *Health // of the last round; nil if not measured
	last, err := collabdict.Train(ctx, g, l, collabdict.Options{Rounds: s.Rounds, OnRound: func(r collabdict.Round) {
		kept.SetFrom(l.Model())
		health = s.health(l, r.Number)
		p := algorithm.Progress{Round: r, Loss: -r.Objective}
		if health != nil {
			p.Encoder = &algorithm.Encoder{Information: health.Information, KL: health.KL, Active: health.Active, Latent: health.Latent}
		}
		after(p)
	}})
	if last.Number == 0 {
		return algorithm.Outcome{}, err
	}
	return algorithm.Outcome{Last: last, Model: Trained{kept}, TotalRows: l.TotalRows(), Warnings: warnings(health)}, err
}

// health measures the encoder after a round. It returns nil if this round is not measured, or
// cannot be; in the latter case the next round returns the error.
func (s *Settings) health(l *Learner, round int) *Health {
	if s.LocalSteps == 0 && round%healthEvery != 0 && round != s.Rounds {
		return nil
	}
	h, err := l.Health()
	if err != nil {
		return nil
	}
	return &h
}

func warnings(h *Health) []string {
	if h == nil || !h.Collapsed {
		return nil
	}
	return []string{fmt.Sprintf("posterior collapse: codes carry only %.2g nats per row, and %d of %d latent dimensions are active, so scores barely depend on a row's pattern: raise --aggressive or --rounds, or lower --latent", h.Information, h.Active, h.Latent)}
}

// Load returns the model stored in arrays.
func (s *Settings) Load(arrays algorithm.Arrays, coordinates int) (algorithm.Model, error) {
	read := networks.Found{}
	if err := read.Chain(arrays, "encoder", coordinates, networks.Backwards(s.Hidden), 1, 2*s.Latent); err != nil {
		return nil, err
	}
	if err := read.Chain(arrays, "decoder", s.Latent, s.Hidden, 1, 2*coordinates); err != nil {
		return nil, err
	}
	m := NewModel(coordinates, s.config(0))
	return Trained{m}, read.Fill(m.Matrices)
}
