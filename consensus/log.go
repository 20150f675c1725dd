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
	m, at := l.m, l.m.slot.position
	if d.Slot != at.number {
		return fmt.Errorf("slot %d: want slot %d next", d.Slot, at.number)
	}
	if !m.slot.ballots.checkCertificate(at, d.Certificate) {
		return fmt.Errorf("slot %d: no quorum has signed it as the next decision of this log", d.Slot)
	}
	next := *d
	if d.Kind == Gather {
		next.Blobs = m.byRank(d.Blobs)
	}
	err := m.checkDecision(&next)
	if err == nil && chain(at.chain, m.p.Run, &next) != d.Chain {
		err = errors.New("it does not match its chain")
	}
	if err == nil && d.Kind == Amend {
		err = l.amend(d)
	}
	if err != nil {
		return fmt.Errorf("slot %d: %w", d.Slot, err)
	}
	m.slot = m.slotAfter(&next)
	return nil
}

func (l *Log) amend(d *Decision) error {
	a, err := d.Amendment()
	if err != nil {
		return err
	}
	p, err := l.m.p.Amend(a)
	if err != nil {
		return err
	}
	return l.m.form(p)
}
