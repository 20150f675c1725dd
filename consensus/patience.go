package consensus

import "time"

// How long a member waits for others, by what was measured of them. These are functions of
// times alone; what they return is only ever a matter of time, not of safety.

// The bounds of what is measured, in heartbeats.
const (
	lostLeast  = 8   // of silence before a member can count as lost
	lostMost   = 120 // before it does, however irregular its heartbeats were
	stallLeast = 20  // without a step before a session counts as stalled
	stallMost  = 600 // before it does, however long slots took
	slowLeast  = 20  // of computing before a member can count as slow
)

// firstTimes is how many times as long as the others a member may compute of which no
// local update was measured yet.
const firstTimes = 10

// lostAfter returns after what silence a member counts as lost. Usual is the longest gap between its
// heartbeats that is to be expected: six deviations above the median of the last ones.
func lostAfter(usual, every time.Duration) time.Duration {
	return min(max(usual, lostLeast*every), lostMost*every)
}

// slowAfter returns how long a member may compute before the others go on without it, where
// they can: patience times what it usually takes, or what the others took in the same slot if that
// is more. A round may cost more than those before it, and it does so for all. Zero means
// that nothing was measured, of the member or of the others; the result is then 0 as
// well, and nobody counts as slow.
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

// stallAfter returns how long a session may make no step. Usual is the time between a
// member's call and the decision.
func stallAfter(usual, every time.Duration) time.Duration {
	return min(max(5*usual, stallLeast*every), stallMost*every)
}

// tookOthers returns the median of what those members took for their local updates of a slot
// that have ended them, 0 if none has.
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
