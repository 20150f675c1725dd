package beta

import (
	"context"
	"fmt"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/average"
	"github.com/collabdict/collabdict/internal/conditioning"
)

// Learner trains a model at one member of a group: [Learner.Start], then rounds. After an
// error it is of no more use, but for a [Learner.Restore].
type Learner struct {
	config Config
	own    Own

	model    *Model
	rounds   int
	standing Standing
	all      []*Standing
	mean     *average.Mean
	column   *conditioning.Column
}

// NewLearner returns a learner before its start. It keeps the rows, and does not modify
// them.
func NewLearner(c Config, own Own) (*Learner, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	c = c.withDefaults()
	if err := own.check(c); err != nil {
		return nil, err
	}
	m := NewModel(c)
	mean := average.New(m.all, 1, 1) // beside the parameters, the loss
	mean.Shared = c.Condition == Unconditioned
	return &Learner{config: c, own: own, model: m, mean: mean, column: conditioning.New(m.own)}, nil
}

// Start agrees with the group on the first weights.
func (l *Learner) Start(ctx context.Context, g collabdict.Group) error {
	var by *Model
	if given := l.config.Weights.Pretrained; given != nil {
		by = NewModel(l.config)
		copy(by.all.Values, given)
		copy(by.own.Values, l.own.Pretrained)
	}
	if err := l.weigh(ctx, g, by); err != nil {
		return fmt.Errorf("beta: weights: %w", err)
	}
	return nil
}

// Model returns the model of the last round.
func (l *Learner) Model() *Model { return l.model }

// Standing returns this member's, after Start.
func (l *Learner) Standing() Standing { return l.standing }

// Standings returns those of all members, by rank, if they are published, with
// discrepancies and P alone; nil for one that was not in the view.
func (l *Learner) Standings() []*Standing { return l.all }

// State is what a member goes on from: Values are everybody's, Conditions the member's own.
type State struct {
	Rounds             int // that are done
	Values, Conditions []float32
	Standing           Standing
}

// State returns that after the last round, until the next one.
func (l *Learner) State() State {
	return State{l.rounds, l.model.all.Values, l.model.own.Values, l.standing}
}

// Restore goes on from a state of the same configuration and the same rows, in place of
// Start; all members go on from the same round. What comes has the same bits as without.
func (l *Learner) Restore(s State) error {
	shared, own := l.model.all.Values, l.model.own.Values
	if len(s.Values) != len(shared) || len(s.Conditions) != len(own) || s.Rounds < 0 {
		return fmt.Errorf("beta: want a state of %d parameters and %d conditions, got %d and %d after %d rounds", len(shared), len(own), len(s.Values), len(s.Conditions), s.Rounds)
	}
	copy(shared, s.Values)
	copy(own, s.Conditions)
	l.rounds, l.standing, l.all = s.Rounds, s.Standing, nil
	return nil
}
