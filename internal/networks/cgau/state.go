package cgau

import "fmt"

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
