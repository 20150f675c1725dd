package consensus

import "time"

// These functions compute from measured times how long a member waits for others. A wrong result
// costs time, never safety.

// Bounds, in heartbeats.
const (
	lostLeast  = 8   // shortest silence of a lost member
	lostMost   = 120 // longest silence of a live one, however irregular its heartbeats are
	stallLeast = 20  // shortest time without progress in a stalled session
	stallMost  = 600 // longest time without progress before it is stalled, however long slots take
	slowLeast  = 20  // shortest update of a slow member
)

// firstTimes is the multiple of the others' time that a member may compute if none of its
// updates has been measured.
const firstTimes = 10

// lostAfter returns the silence after which a member is lost. usual is the longest expected gap
// between its heartbeats.
func lostAfter(usual, every time.Duration) time.Duration {
	return min(max(usual, lostLeast*every), lostMost*every)
}

// slowAfter returns how long a member may compute before the others continue without it if they
// can. It is patience times the member's own usual time, or times the others' time in the slot
// if that is longer, since a round may cost all members more. It is 0 if nothing was measured;
// then nobody is slow.
func slowAfter(own, others time.Duration, patience float64, every time.Duration) time.Duration {
	expected := max(own, others)
	if own == 0 {
		expected = firstTimes * others
	}
	if expected == 0 {
		return 0
	}
	return max(time.Duration(patience*float64(expected)), slowLeast*every)
}

// stallAfter returns how long a session may make no progress. usual is the time between a
// member's call and the decision.
func stallAfter(usual, every time.Duration) time.Duration {
	return min(max(5*usual, stallLeast*every), stallMost*every)
}

// tookOthers returns the median time of the others' finished updates in a slot, or 0 if none
// has finished.
func (w *monitor) tookOthers(slot uint64) time.Duration {
	var took []time.Duration
	for i := range w.peers {
		if p := &w.peers[i]; w.watched[i] != w.self && p.slot == slot && !p.pace.open && len(p.pace.took) > 0 {
			took = append(took, p.pace.took[len(p.pace.took)-1])
		}
	}
	if took == nil {
		return 0
	}
	return median(took)
}
