package node

import (
	"fmt"

	"github.com/collabdict/collabdict/consensus"
)

// decided returns a slot of the log.
func (l *loop) decided(slot uint64) (*consensus.Decision, error) {
	d, err := l.journal.Decision(slot)
	if err == nil && d == nil {
		err = l.journal.Damage(fmt.Sprintf("slot %d is not in the log", slot))
	}
	if err == nil && d.Kind == consensus.Gather {
		d.Blobs = d.Blobs[:l.ranksAt(slot)]
	}
	return d, err
}

// checkAnswer reports a decision that cannot be a call's: the learner is not the
// one that has made the calls so far.
func checkAnswer(c consensus.Call, d *consensus.Decision) error {
	if c.Kind == d.Kind && c.Round == d.Round && (c.Kind != consensus.Sum || len(c.Values) == len(d.Total)) {
		return nil
	}
	return fmt.Errorf("the run has decided a %s of %d values in round %d, and this member calls for a %s of %d in round %d: start with the same data, settings and version as before",
		d.Kind, len(d.Total), d.Round, c.Kind, len(c.Values), c.Round)
}

// known returns the decision of the next call, if that is a sum that fits; it counts as
// called.
func (l *loop) known(fits func(*consensus.Decision) bool) (*consensus.Decision, error) {
	slot := l.slotOf(l.calls)
	if l.pending != nil || slot >= l.machine.Slot() {
		return nil, nil
	}
	d, err := l.decided(slot)
	if err != nil || d.Kind != consensus.Sum || !fits(d) {
		return nil, err
	}
	l.calls++
	return d, nil
}

// has reports whether a member's contribution is in a decision.
func has(d *consensus.Decision, rank int) bool {
	for _, m := range d.Members {
		if int(m) == rank {
			return true
		}
	}
	return false
}

// enter counts a decision.
func (l *loop) enter(d *consensus.Decision) {
	l.record.Add(d)
	if d.Kind == consensus.Amend {
		l.noteEpoch(d)
		return
	}
	l.took = d.Cost.Ended - d.Cost.Began
	l.inbox.noteLength(len(d.Total))
}
