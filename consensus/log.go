package consensus

import (
	"errors"
	"fmt"
)

// A Log checks the decisions of a log, in order. Each must match its digests and have the votes
// of a quorum of its slot's roster, which sign all earlier decisions. Votes for a total sign
// its sealed result, so only the digest and the chain vouch for the last total.
type Log struct{ m *Machine }

// NewLog returns a Log at the beginning of a run. p has the parameters that the run began with.
func NewLog(p Params) (*Log, error) {
	m, err := New(p)
	return &Log{m}, err
}

// Check returns an error if the run cannot have made a decision after those checked before.
func (l *Log) Check(d *Decision) error {
	m := l.m
	if d.Slot != m.slot.number {
		return fmt.Errorf("slot %d: want slot %d next", d.Slot, m.slot.number)
	}
	next, err := m.checked(d)
	if err == nil && next.Chain != d.Chain {
		err = errors.New("it does not match its chain")
	}
	if err == nil && d.Kind == Amend {
		_, err = m.amend(next)
	}
	if err != nil {
		return fmt.Errorf("slot %d: %w", d.Slot, err)
	}
	m.slot = m.slotAfter(next)
	return nil
}
