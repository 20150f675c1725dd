package cgau

import "fmt"

// State is what a member goes on from. Shared is everybody's, Conditions the member's own.
type State struct {
	Rounds             int // that are done
	Shared, Conditions []float32
	Best               Best
}

// State returns that after the last round, until the next one.
func (l *Learner) State() State {
	return State{l.rounds, l.model.net.Shared.Values, l.model.net.Private.Values, l.best}
}

// Restore goes on from a state of the same configuration and the same rows; all members go
// on from the same round. What comes has the same bits as without. A member that is new has
// the Rounds and Shared of another, and conditions of 0.
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
