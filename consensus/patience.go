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
	// slowEarly is the shortest update of a slow member up to StartRounds. Until then, nobody knows how long
	// a pass over its rows takes, which may be on other machines.
	slowEarly = 3600
)

// While a counted member is missing, the others' rows may not leave a component (components.go). If
// that happens when training has hardly begun, the model is worse. So slots in the start and in
// rounds up to StartRounds wait for a member that the total has counted. By then most rows are in
// their component. startPatience, in heartbeats, is time enough to start a process or a computer
// again.
const startPatience = 120

// StartRounds is the last round in which a running total waits for a lost member.
const StartRounds = 5

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
// if that is longer, since rounds may cost all members more, but no fewer heartbeats than least.
// It is 0 if nothing was measured; then nobody is slow.
func slowAfter(usual, others time.Duration, patience float64, least int, every time.Duration) time.Duration {
	expected := max(usual, others)
	if usual == 0 {
		expected = firstTimes * others
	}
	if expected == 0 {
		return 0
	}
	return max(time.Duration(patience*float64(expected)), time.Duration(least)*every)
}

// stallAfter returns how long a session may make no progress. usual is the time between a
// member's call and the decision.
func stallAfter(usual, every time.Duration) time.Duration {
	return min(max(5*usual, stallLeast*every), stallMost*every)
}

// lacks reports whether a slot has to leave out a member, or wait for it:
//
//   - it has left, is silent or slow, or is not in the slot some time after this member came;
//   - it held up sessions, or did not answer this member's ballot.
func (w *monitor) lacks(now time.Duration, member int, st *standing) bool {
	p := w.peer(now, member)
	_, mute := w.mute[member]
	settled := now-w.came > viewWait*w.every // each member that keeps up has reported it since
	return p.left != nil || w.silent(now, member) || settled && !p.ready(st.slot) || w.spared(now, member, st) || w.excluded[member] || mute
}

// countLacking adds the time since the last tick for each member that the slot lacks.
func (w *monitor) countLacking(now time.Duration, st *standing) {
	if now-w.tick > 3*w.every {
		return // this process was stopped for a while
	}
	for i, member := range w.watched {
		if member != w.self && w.lacks(now, member, st) {
			w.peers[i].lacked += now - w.tick
		}
	}
}

// awaits reports whether the slot waits for a member that it lacks. In the first slot of a total
// it waits for all. Later it waits for members of the preset view that the total has counted,
// but not longer than startPatience, and not if they have left for good.
func (w *monitor) awaits(now time.Duration, member int, st *standing) bool {
	if st.all {
		return true
	}
	_, counted := st.counted.of(uint32(member))
	p := w.peer(now, member)
	return counted && st.preset.has(member) && !(p.left != nil && !p.left.Returns) && p.lacked < startPatience*w.every
}

// needs returns the number of members without which the slot pauses.
func (w *monitor) needs(now time.Duration, st *standing) int {
	present, awaited := 0, 0
	for _, s := range w.watched {
		switch {
		case s == w.self || !w.lost(now, s):
			present++
		case w.awaits(now, s, st):
			awaited++
		}
	}
	if awaited == 0 {
		return w.Least
	}
	return max(w.Least, present+awaited)
}

// tookOthers returns the median time of the others' finished updates in a slot, or 0 if none
// has finished.
func (w *monitor) tookOthers(slot uint64) time.Duration {
	var took []time.Duration
	for i := range w.peers {
		if p := &w.peers[i]; w.watched[i] != w.self && p.slot == slot && !p.pace.underway && len(p.pace.took) > 0 {
			took = append(took, p.pace.took[len(p.pace.took)-1])
		}
	}
	if took == nil {
		return 0
	}
	return median(took)
}
