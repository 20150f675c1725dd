package beta

import (
	"context"
	"fmt"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/networks/average"
)

// Learner trains a model at one member of a group: first [Learner.Start], then rounds. After an
// error it can only be used after a [Learner.Restore].
type Learner struct {
	config Config
	own    Own

	model    *Model
	rounds   int
	standing Standing
	all      []*Standing
	mean     *average.Mean
	column   *average.Column
}

// NewLearner returns a learner that has not started. It keeps the rows and does not modify
// them.
func NewLearner(c Config, own Own) *Learner {
	c = c.withDefaults()
	m := NewModel(c)
	mean := average.New(m.all, 1, 1) // one value besides the parameters: the loss
	mean.Shared = !c.Conditioned
	return &Learner{config: c, own: own, model: m, mean: mean, column: average.NewColumn(m.own)}
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

// Model returns the model after the last round.
func (l *Learner) Model() *Model { return l.model }

// Standing returns this member's standing. It is set after Start.
func (l *Learner) Standing() Standing { return l.standing }

// Standings returns the standings of all members by rank, if they are published. They hold only
// the discrepancy and P; a member that was not in the view has nil.
func (l *Learner) Standings() []*Standing { return l.all }

// State is what a member needs to resume. Values are the shared parameters, Conditions the
// member's own.
type State struct {
	Rounds             int // that are done
	Values, Conditions []float32
	Standing           Standing
}

// State returns the state after the last round. It is valid until the next one.
func (l *Learner) State() State {
	return State{l.rounds, l.model.all.Values, l.model.own.Values, l.standing}
}

// Restore resumes from a state of the same configuration and the same rows, in place of Start.
// All members must resume from the same round. The results have the same bits as without an
// interruption.
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
