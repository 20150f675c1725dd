package cgau

import (
	"context"
	"fmt"
	"slices"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/networks"
	"github.com/collabdict/collabdict/internal/networks/average"
	"github.com/collabdict/collabdict/option"
	"github.com/collabdict/collabdict/vae"
)

// Kind describes the algorithm to the program.
var Kind = algorithm.Kind{
	Name:  "cgau",
	About: "a classifier with private conditions, by private sums",
	New:   func() algorithm.Algorithm { return &Settings{} },
}

// Settings are the settings that members agree on.
type Settings struct {
	Rounds     int
	LocalSteps int
	Hidden     []int // units of each layer
	Batch      int
	Rate       float64 // also of the conditions
	Classes    int     // 0 finds the largest class of all members, plus 1, by a sum
	Dropout    float64
}

const momentum = 0.9

// Options returns the options that set the fields. Except for the rate, the defaults are those
// of Rieger et al. 2020.
func (s *Settings) Options() option.Table {
	return option.Table{
		networks.Rounds(&s.Rounds, 150),
		option.Int(&s.LocalSteps, "local-steps", 10, "number of training `STEPS` that each member makes between two sums; more steps need fewer rounds", option.AtLeast(1)),
		networks.Hidden(&s.Hidden, []int{64, 64}, "`UNITS` of the hidden layers, from first to last, separated by commas", option.Check(networks.CheckGated)),
		networks.Batch(&s.Batch, 32),
		networks.Rate(&s.Rate, 0.1, "gradient descent with momentum 0.9"),
		networks.Classes(&s.Classes),
		option.Float(&s.Dropout, "dropout", 0.5, "`PROBABILITY` of leaving out each hidden unit in a training step; raise it against overfitting", option.Check(func(p float64) error {
			if !(p >= 0 && p <= 0.99) {
				return fmt.Errorf("want a probability from 0 to 0.99, got %g", p)
			}
			return nil
		})),
	}
}

// Prepare does nothing, because no settings conflict.
func (s *Settings) Prepare(algorithm.Coordinates) error { return nil }

// Traits returns what the settings require of a run.
func (s *Settings) Traits() algorithm.Traits {
	return algorithm.Traits{
		Rounds: s.Rounds, HoldsRows: true, LeastRows: 1, Objective: "minus the loss of a row",
		Classes: &algorithm.Classes{Number: s.Classes, Learned: true, Because: "the model cgau learns classes"},
		// a lower bound, because the number of classes may not be known yet
		Values: func(columns int) int { return networks.Weights(columns, s.Hidden, 2, max(s.Classes, 2)) },
	}
}

// Disclosure returns what members reveal to each other, besides sums of networks.
func (s *Settings) Disclosure(algorithm.Coordinates) algorithm.Disclosure {
	d := algorithm.Disclosure{Conserved: algorithm.RowCounts, Items: []algorithm.Item{
		average.UpdatesItem("times the member's number of rows"),
		average.BoundsItem("the largest change of each weight matrix, the number of rows and the loss"),
		average.ConditionsItem(),
	}}
	if s.Classes == 0 {
		d.Items = append(d.Items, algorithm.ClassesItem())
	}
	return d
}

// config returns the configuration of a learner for the given number of classes. The seed is
// public.
func (s *Settings) config(columns, classes int, seed uint64) Config {
	return Config{
		Inputs: columns, Classes: classes, Hidden: s.Hidden, Dropout: s.Dropout,
		Rate: s.Rate, Momentum: momentum, Batch: s.Batch, Steps: s.LocalSteps, Seed: seed,
	}
}

// Learn runs one participant's part of the training. A seed that only this participant knows
// draws the order of its rows, and dropout.
func (s *Settings) Learn(ctx context.Context, g collabdict.Group, d algorithm.Data, after func(algorithm.Progress)) (algorithm.Outcome, error) {
	own := Own{Rows: Rows{Classes: d.Classes}, Seed: networks.Seed(d)}
	var err error
	if own.Values, err = vae.InMemory(d.Rows); err != nil {
		return algorithm.Outcome{}, err
	}
	labels := slices.Concat(d.Classes, d.TestClasses) // test rows measure the model
	classes, err := networks.AgreeClasses(ctx, g, d.Name, labels, s.Classes)
	if err != nil {
		return algorithm.Outcome{}, err
	}
	_, columns := d.Rows.Dims()
	c := s.config(columns, classes, d.Seed)
	l := NewLearner(c, own)
	// A sum that fails later leaves the learner's own model half way.
	kept := NewModel(c)
	out := algorithm.Outcome{Used: map[string]any{"classes": classes, "momentum": momentum}}
	out.Last, err = collabdict.Rounds(g, l, s.Rounds, func(int) (collabdict.Round, error) {
		r, err := l.Round(ctx, g)
		if err != nil {
			return collabdict.Round{}, err
		}
		copy(kept.Shared().Values, l.Model().Shared().Values)
		copy(kept.Conditions().Values, l.Model().Conditions().Values)
		out.Model, out.TotalRows = Trained{kept}, r.Rows
		last := collabdict.Round{Number: r.Number, Objective: -r.Loss}
		after(algorithm.Progress{Round: last, Loss: r.Loss})
		return last, nil
	})
	if out.Last.Number == 0 {
		return algorithm.Outcome{}, err
	}
	if slices.Min(d.Classes) == slices.Max(d.Classes) {
		out.Warnings = append(out.Warnings, fmt.Sprintf("classes: all %d own training rows are of class %d, so the model learns nothing else from them", len(d.Classes), d.Classes[0]))
	}
	return out, err
}

// Load returns the model stored in arrays, with conditions of 0.
func (s *Settings) Load(arrays algorithm.Arrays, coordinates int) (algorithm.Model, error) {
	if s.Classes == 0 {
		return nil, fmt.Errorf("classes: want their number, got none")
	}
	read := networks.Found{}
	if err := read.Chain(arrays, "classifier", coordinates, s.Hidden, 2, s.Classes); err != nil {
		return nil, err
	}
	m := NewModel(s.config(coordinates, s.Classes, 0))
	return Trained{m}, read.Fill(m.Shared().Matrices)
}
