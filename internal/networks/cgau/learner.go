package cgau

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/networks/average"
	"github.com/collabdict/collabdict/vae"
)

// Learner trains a model at one member of a group, round by round. After an error it can only
// be used after a [Learner.Restore].
type Learner struct {
	config Config
	own    Own

	model  *Model
	by     descent
	mean   *average.Mean
	column *average.Column
	rounds int
	best   Best
}

// Best is what members held at the start of the round in which held-out rows had the smallest
// loss.
type Best struct {
	Round      int // 0 if no round had held-out rows
	Loss       float64
	Shared     []float32
	Conditions []float32 // this member's
}

// NewLearner returns a learner before its first round. It keeps the rows and does not modify
// them.
func NewLearner(c Config, own Own) *Learner {
	c = c.withDefaults()
	l := &Learner{config: c, own: own, model: NewModel(c)}
	l.by, l.mean = newDescent(l.model), average.New(l.model.net.Shared, besides, 0)
	l.column = average.NewColumn(l.model.net.Private)
	return l
}

// Model returns the model after the last round.
func (l *Learner) Model() *Model { return l.model }

// Best returns the best round so far. It does not yet include the result of the last round.
func (l *Learner) Best() Best { return l.best }

// Round is the result of a round. It is the same at every member.
type Round struct {
	Number int // from 1
	// Rows is the number of training rows of all members in the sum.
	Rows int
	// Loss is the mean cross-entropy per row during training.
	Loss float64
	// Held is the mean cross-entropy of held-out rows before the round, 0 if there are none.
	Held float64
}

// The values summed besides changes: the own loss times the own rows, and the loss and the
// number of held-out rows.
const (
	trained = iota
	heldLoss
	heldRows
	besides
)

// Round trains for the steps of a round, and takes the mean, by rows, of the changes of all
// members. The conditions change only if this member's part is in the sum.
func (l *Learner) Round(ctx context.Context, g collabdict.Group) (Round, error) {
	total, err := l.column.Round(ctx, g, l.mean, l.train)
	if err != nil {
		return Round{}, err
	}
	l.rounds++
	r := Round{Number: l.rounds, Rows: int(math.Round(total.Weight))}
	if total.Weight > 0 {
		r.Loss = total.Beside[trained] / total.Weight
	}
	if n := math.Round(total.Beside[heldRows]); n > 0 {
		r.Held = total.Beside[heldLoss] / n
		l.note(r)
	}
	return r, nil
}

// Digest implements [collabdict.Digester]. It leaves out the conditions, which differ between
// members.
func (l *Learner) Digest() [32]byte { return vae.Digest(l.model.net.Shared.Values) }

// note keeps the parameters from the start of the round, if no earlier ones had a smaller loss.
func (l *Learner) note(r Round) {
	if l.best.Round == 0 || r.Held < l.best.Loss {
		l.best = Best{r.Number, r.Held, append(l.best.Shared[:0], l.mean.Before()...), append(l.best.Conditions[:0], l.column.Before()...)}
	}
}

// train computes this member's part of a round.
func (l *Learner) train(ctx context.Context) (average.Part, error) {
	held, err := l.model.Evaluate(l.own.Held)
	if err != nil {
		return average.Part{}, fmt.Errorf("held rows: %w", err)
	}
	loss, err := l.model.train(ctx, l.own.Rows, l.by, l.source(ordering), l.source(dropping))
	if err != nil {
		return average.Part{}, err
	}
	rows := float64(len(l.own.Classes))
	beside := make([]float64, besides)
	beside[trained], beside[heldLoss], beside[heldRows] = rows*loss, held.Loss, float64(held.Rows)
	return average.Part{Weight: rows, Beside: beside}, nil
}

// The purposes for which a member draws random numbers.
const (
	ordering = iota
	dropping
)

// source returns a separate random stream for each purpose of each round.
func (l *Learner) source(purpose uint64) rand.Source {
	return rand.NewPCG(l.own.Seed, uint64(l.rounds)<<8|purpose)
}

// State is what a member needs to resume. Shared is the same at all members, Conditions is the
// member's own.
type State struct {
	Rounds             int // that are done
	Shared, Conditions []float32
	Best               Best
}

// State returns the state after the last round. It is valid until the next one.
func (l *Learner) State() State {
	return State{l.rounds, l.model.net.Shared.Values, l.model.net.Private.Values, l.best}
}

// Restore resumes from a state of the same configuration and the same rows. All members must
// resume from the same round. The results have the same bits as without an interruption. A new
// member uses Rounds and Shared of another member, and conditions of 0.
func (l *Learner) Restore(s State) error {
	shared, own := l.model.net.Shared.Values, l.model.net.Private.Values
	if len(s.Shared) != len(shared) || len(s.Conditions) != len(own) || s.Rounds < 0 {
		return fmt.Errorf("cgau: want a state of %d weights and biases and %d conditions, got %d and %d after %d rounds", len(shared), len(own), len(s.Shared), len(s.Conditions), s.Rounds)
	}
	copy(shared, s.Shared)
	copy(own, s.Conditions)
	l.rounds, l.best = s.Rounds, s.Best
	l.best.Shared, l.best.Conditions = append([]float32(nil), s.Best.Shared...), append([]float32(nil), s.Best.Conditions...)
	return nil
}
