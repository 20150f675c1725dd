package consensus

import (
	"errors"
	"fmt"
)

// Log checks the decisions of a log, in order from the first one: each has the votes of a
// quorum of the roster of its slot, which sign all that was decided before it, and is what
// its digests say. The votes for a total sign its sealed result, so the last total of a log
// is held by its digest and the chain alone.
type Log struct{ m *Machine }

// NewLog returns a check from the beginning of a run, whose parameters are given as they
// were then.
func NewLog(p Params) (*Log, error) {
	m, err := New(p)
	return &Log{m}, err
}

// Check reports a decision that the run cannot have come to after those before it.
func (l *Log) Check(d *Decision) error {
	m, at := l.m, l.m.slot.position
	if d.Slot != at.number {
		return fmt.Errorf("slot %d: want slot %d next", d.Slot, at.number)
	}
	if !m.slot.ballots.checkCertificate(at, d.Certificate) {
		return fmt.Errorf("slot %d: no quorum has signed it after what the log has before it", d.Slot)
	}
	next := *d
	if d.Kind == Gather {
		next.Blobs = m.byRank(d.Blobs)
	}
	err := m.checkDecision(&next)
	if err == nil && chain(at.chain, m.p.Run, &next) != d.Chain {
		err = errors.New("not what its chain says")
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
