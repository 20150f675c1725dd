package node

import (
	"fmt"

	"github.com/collabdict/collabdict/consensus"
)

// decided returns the decision of a slot from the log.
func (l *loop) decided(slot uint64) (*consensus.Decision, error) {
	d, err := l.state.Decision(slot)
	if err == nil && d == nil {
		err = l.state.Damage(fmt.Sprintf("slot %d is not in the log", slot))
	}
	if err == nil && d.Kind == consensus.Gather {
		d.Blobs = d.Blobs[:l.ranksAt(slot)]
	}
	return d, err
}

// checkAnswer returns an error if the decision does not fit the call: the learner is not the
// one that made the earlier calls.
func checkAnswer(c consensus.Call, d *consensus.Decision) error {
	if c.Kind == d.Kind && c.Round == d.Round && (c.Kind != consensus.Sum || len(c.Values) == len(d.Total)) {
		return nil
	}
	return fmt.Errorf("want a %s of %d values in round %d, as the run has decided, got a %s of %d in round %d: start with the same data, settings and version as before",
		d.Kind, len(d.Total), d.Round, c.Kind, len(c.Values), c.Round)
}

// takeKnown returns the decision of the next call if it is known, is a sum and fits. The call then
// counts as made.
func (l *loop) takeKnown(fits func(*consensus.Decision) bool) (*consensus.Decision, error) {
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

// enter adds a decision to the record.
func (l *loop) enter(d *consensus.Decision) {
	l.record.Add(d)
	if d.Kind == consensus.Amend {
		l.noteEpoch(d)
		return
	}
	l.took = d.Cost.Ended - d.Cost.Began
	l.inbox.noteLength(len(d.Total))
}
