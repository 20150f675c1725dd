package beta

import (
	"context"
	"fmt"
	"math"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/networks"
	"github.com/collabdict/collabdict/internal/networks/average"
	"github.com/collabdict/collabdict/option"
)

// Kind describes the algorithm to the program.
var Kind = algorithm.Kind{
	Name:  "bvae",
	About: "a beta-VAE, by weighted averages of the members' models",
	New:   func() algorithm.Algorithm { return &Settings{} },
}

// Settings are the settings that members agree on.
type Settings struct {
	Rounds    int
	Latent    int
	Hidden    []int // units of the encoder's hidden layers
	Batch     int
	Rate      float64
	Beta      float64
	Epochs    int
	Condition string // byCGAU or empty
	// The following fields determine the weights of members; see [Weighting].
	Weights        string
	Effect         float64 // a
	Offset         string  // b, a number or "auto"
	Debias         bool
	WeighEvery     int
	PublishWeights bool
	Classes        int // 0 finds the largest class of all members, plus 1, by a sum
}

// byCGAU selects hidden layers with conditions that each participant keeps to itself.
const byCGAU = "cgau"

// Options returns the options that set the fields. Rounds and batch have the defaults of Page
// 2024.
func (s *Settings) Options() option.Table {
	condition := option.String(&s.Condition, "condition", "", "`LAYERS` with private conditions, by which each member adapts the model to its rows and which it never sends: cgau, as in the model cgau (default none)",
		option.Check(func(by string) error {
			if by != "" && by != byCGAU {
				return fmt.Errorf("want %s, or nothing for no conditions, got %q", byCGAU, by)
			}
			return nil
		}))
	condition.Values = []string{byCGAU}
	return append(option.Table{
		networks.Rounds(&s.Rounds, 25),
		networks.Latent(&s.Latent),
		networks.Hidden(&s.Hidden, []int{64}, "`UNITS` of the encoder's hidden layers, from first to last, separated by commas; the decoder has the same in reverse",
			option.Check(func(layers []int) error {
				if s.Condition == "" {
					return nil
				}
				return networks.CheckGated(layers)
			})),
		networks.Batch(&s.Batch, 64),
		networks.Rate(&s.Rate, 1e-3, "Adam"),
		option.Float(&s.Beta, "beta", 0.01, "`FACTOR` of the divergence from the prior in the loss, relative to a row's squared error; larger values make codes more regular, smaller values reconstruct rows better", option.Above(0, math.MaxFloat64)),
		option.Int(&s.Epochs, "epochs", 10, "number `E` of passes that each member makes over its rows between two sums", option.AtLeast(1)),
		condition,
	}, s.weightingOptions()...)
}

// Prepare does nothing, because the options check all that conflicts.
func (s *Settings) Prepare(algorithm.Coordinates) error { return nil }

// sums returns the number of weight columns of a hidden unit.
func (s *Settings) sums() int {
	if s.Condition != "" {
		return 2
	}
	return 1
}

// Traits returns what the settings require of a run.
func (s *Settings) Traits() algorithm.Traits {
	t := algorithm.Traits{
		Rounds: s.Rounds, HoldsRows: true, HoldsOut: true, UnitRange: true, LeastRows: 1, Objective: "minus the loss of a row",
		Values: func(columns int) int {
			return networks.Weights(columns, s.Hidden, s.sums(), 2*s.Latent) + networks.Weights(s.Latent, networks.Backwards(s.Hidden), s.sums(), columns)
		},
	}
	if s.Weights == byLabels {
		t.Classes = &algorithm.Classes{Number: s.Classes, Because: "--weights feddisco needs classes"}
	}
	return t
}

// Disclosure returns what members reveal to each other, besides sums of networks.
func (s *Settings) Disclosure(algorithm.Coordinates) (d algorithm.Disclosure) {
	d.Items = []algorithm.Item{average.UpdatesItem("times the member's weight")}
	if s.Condition != "" {
		d.Items = append(d.Items, average.ConditionsItem())
	}
	if s.Weights == byLabels && s.Classes == 0 {
		d.Items = append(d.Items, algorithm.ClassesItem())
	}
	d.Items = append(d.Items, s.weightItems()...)
	return d
}

func (s *Settings) config(columns int, seed uint64) Config {
	hidden := s.Hidden
	if hidden == nil {
		hidden = []int{} // no layers, as opposed to nil, the default
	}
	return Config{
		Inputs: columns, Hidden: hidden, Latent: s.Latent, Beta: s.Beta, Rate: s.Rate, Batch: s.Batch, Epochs: s.Epochs,
		Conditioned: s.Condition != "", Seed: seed, Weights: s.weighting(),
	}
}

// Learn runs one participant's part of the training. A seed that only this participant knows
// draws the order of its rows, and noise.
func (s *Settings) Learn(ctx context.Context, g collabdict.Group, d algorithm.Data, after func(algorithm.Progress)) (algorithm.Outcome, error) {
	p, err := s.participant(d)
	if err != nil {
		return algorithm.Outcome{}, err
	}
	if s.Weights == byLabels {
		if err := p.count(ctx, g, d); err != nil {
			return algorithm.Outcome{}, err
		}
	}
	p.learner = NewLearner(p.config, p.own)
	if err := p.learner.Start(ctx, g); err != nil {
		return algorithm.Outcome{}, fmt.Errorf("start: %w", err)
	}
	_, err = collabdict.Rounds(g, p.learner, s.Rounds, func(int) (collabdict.Round, error) { return p.round(ctx, g, after) })
	if p.last.Number == 0 {
		return algorithm.Outcome{}, err
	}
	return p.outcome(), err
}

// Load returns the model stored in arrays, with conditions of 0.
func (s *Settings) Load(arrays algorithm.Arrays, coordinates int) (algorithm.Model, error) {
	read := networks.Found{}
	if err := read.Chain(arrays, "encoder", coordinates, s.Hidden, s.sums(), 2*s.Latent); err != nil {
		return nil, err
	}
	if err := read.Chain(arrays, "decoder", s.Latent, networks.Backwards(s.Hidden), s.sums(), coordinates); err != nil {
		return nil, err
	}
	m := NewModel(s.config(coordinates, 0))
	return trained(m), read.Fill(m.Parameters().Matrices)
}
