package consensus

import (
	"maps"
	"slices"
	"time"
)

// judge reports whether this member has to propose its next ballot: the current one cannot
// decide, a quorum agrees, and it is this member's turn.
func (w *monitor) judge(now time.Duration, st *standing) bool {
	reason := w.whyStuck(now, st)
	if reason == "" {
		w.unstick()
		return false
	}
	if w.stuck == "" {
		w.due = now // inform the others at once
	}
	failed := w.reachedBallot(now, st)
	turn, agree := w.turn(now, st, failed)
	if w.stuck == "" || failed != w.stuckIn || agree < w.Quorum {
		w.stuckSince, w.stuckIn = now, failed
	}
	w.stuck = reason
	if agree < w.Quorum || now-w.stuckSince < time.Duration(turn)*viewWait*w.every {
		return false
	}
	w.unstick()
	return true
}

// unstick records that the current ballot may decide.
func (w *monitor) unstick() { w.stuck, w.stuckSince = "", 0 }

// turn returns the number of stuck members whose turn comes before this one's when a ballot
// fails, and the number of all stuck members.
func (w *monitor) turn(now time.Duration, st *standing, failed uint32) (turn, agree int) {
	agree = 1
	for i, p := range w.peers {
		s := w.watched[i]
		if s == w.self || !w.decides(s) || w.lost(now, s) || p.slot != st.slot || !p.heartbeat().Stuck {
			continue
		}
		if p.heartbeat().Promised < st.promised && p.rhythm.last < w.promised {
			continue // it may have promised this ballot since its heartbeat
		}
		agree++
		if w.roster.turn(s, failed) < w.roster.turn(w.self, failed) {
			turn++
		}
	}
	return turn, agree
}

// reachedBallot returns the highest ballot that a quorum has promised and this member may have
// missed. It is never below this member's own ballot.
func (w *monitor) reachedBallot(now time.Duration, st *standing) uint32 {
	promised := []uint32{st.promised}
	for i, p := range w.peers {
		if s := w.watched[i]; s != w.self && w.decides(s) && !w.lost(now, s) && p.slot == st.slot {
			promised = append(promised, p.heartbeat().Promised)
		}
	}
	slices.Sort(promised)
	if len(promised) < w.Quorum {
		return st.promised
	}
	return max(st.promised, promised[len(promised)-w.Quorum])
}

// whyStuck returns why the current ballot cannot decide, or "" if it may.
func (w *monitor) whyStuck(now time.Duration, st *standing) string {
	if st.finishing != nil {
		reason := w.whyOwnerStuck(now, st.finishing.Ballot, st)
		if reason == "" && w.stalled(now, st) {
			reason = "no member sends the result to finish"
		}
		return reason
	}
	if st.working == nil {
		reason := w.whyOwnerStuck(now, st.promised, st)
		if reason == "" && now-w.since > stallLeast*w.every && !w.tooFew(now, st) {
			reason = "its owner sends no view"
		}
		return reason
	}
	for _, r := range st.working.Members {
		member := int(r)
		if member == w.self {
			continue
		}
		if reason := w.whyFailed(now, member, st); reason != "" {
			return w.names[member] + " " + reason
		}
	}
	if st.stranded {
		return "this process has restarted"
	}
	if w.stalled(now, st) {
		return "the session makes no step"
	}
	return ""
}

// whyFailed returns why a member of the view cannot do its part in the ballot, or "".
func (w *monitor) whyFailed(now time.Duration, member int, st *standing) string {
	p := w.peer(now, member)
	switch {
	case w.lost(now, member):
		return w.whyAbsent(now, member, st.slot)
	case p.slot == st.slot && p.heartbeat().Promised > st.promised:
		return "has promised a higher ballot"
	case p.slot == st.slot && p.heartbeat().State == Stranded:
		return "was started again"
	case w.spared(now, member, st) && !w.awaits(now, member, st):
		return "slow"
	}
	return ""
}

// whyOwnerStuck returns why a ballot makes no progress, or "". It is for ballots whose view this
// member lacks, or whose view finishes an attempt.
func (w *monitor) whyOwnerStuck(now time.Duration, ballot uint32, st *standing) string {
	if ballot == 0 {
		return "the members first have to agree on a view"
	}
	owner := w.owner(ballot)
	if owner == w.self { // this member continues, unless others have left the ballot or one does not join it
		for _, s := range w.watched {
			if in, mute := w.mute[s]; mute && in == ballot && !w.awaits(now, s, st) {
				return w.names[s] + " does not join the ballot, although others hear it"
			}
		}
		for i, s := range w.watched {
			if p := &w.peers[i]; s != owner && !w.lost(now, s) && p.slot == st.slot && p.heartbeat().Promised > ballot {
				return w.names[s] + " has promised a higher ballot"
			}
		}
		return ""
	}
	p := w.peer(now, owner)
	switch {
	case w.lost(now, owner):
		return w.names[owner] + " " + w.whyAbsent(now, owner, st.slot)
	case p.slot == st.slot && p.heartbeat().Promised > ballot:
		return w.names[owner] + " has promised a higher ballot"
	case p.slot == st.slot && p.heartbeat().Promised == ballot && p.heartbeat().Stuck:
		return "its owner cannot complete it"
	}
	return ""
}

// stalled reports whether a ballot's session or votes have made no progress for much longer
// than usual, although its members are there. Parts of a long sum that reach any member count
// as progress for all.
func (w *monitor) stalled(now time.Duration, st *standing) bool {
	switch st.state {
	case Dealt:
		if w.computing(now, st) {
			return false
		}
	case Fetching:
		if st.decided {
			return false
		}
	case Session, Sealing, Voted:
	default:
		return false
	}
	return now-max(w.since, w.moved) > w.stallAfter()
}

func (w *monitor) stallAfter() time.Duration { return stallAfter(w.usual, w.every) }

// computing reports whether a member whose Seeds or Blob are missing is still in its local
// update, which is never a stall, however long it takes.
func (w *monitor) computing(now time.Duration, st *standing) bool {
	return slices.ContainsFunc(st.waiting, func(member int) bool {
		p := w.peer(now, member)
		return p.slot == st.slot && p.heartbeat().State == Idle && !p.heartbeat().Behind
	})
}

// noteStall records the member that held up the session which this one leaves. It is excluded
// the second time, or at once if both ends of its link report the link as broken. All members
// judge by the same heartbeats, so their promises name the same member.
func (w *monitor) noteStall(now time.Duration, st *standing) {
	if v := st.working; v == nil || v.amends() {
		return
	}
	roots := w.holdingUp(now, st)
	if len(roots) == 0 {
		return
	}
	last := roots[len(roots)-1]
	broken := slices.ContainsFunc(roots, func(end int) bool { return w.apart(now, end, last) })
	if !broken && !w.stalled(now, st) {
		return
	}
	if w.stalls[last]++; w.stalls[last] > 1 || broken {
		w.excluded[last] = true
	}
}

// pardon readmits members excluded for their links, since no view is possible without them and
// the links may work again. It reports whether that changes anything.
func (w *monitor) pardon() bool {
	if w.pardoned && len(w.excluded) == 0 {
		return false
	}
	w.stalls, w.excluded, w.pardoned = map[int]int{}, map[int]bool{}, true
	return true
}

// holdingUp follows the waiting sets in the heartbeats to the members that hold up the slot. It
// returns the first of these sets that has members:
//
//   - the ends of broken links;
//   - members that others wait for, and that wait for nobody or are silent;
//   - a circle of members that wait for each other.
func (w *monitor) holdingUp(now time.Duration, st *standing) []int {
	waits, waited := map[int][]int{}, map[int][]int{} // member → the members that it waits for, and those that wait for it
	ends, roots := map[int]bool{}, map[int]bool{}
	for s := range reach(st.waiting, func(s int) []int {
		waits[s] = w.waitsFor(now, st, s)
		return waits[s]
	}) {
		if len(waits[s]) == 0 {
			roots[s] = true
		}
		for _, other := range waits[s] {
			waited[other] = append(waited[other], s)
			if w.suspects(now, s, other) {
				ends[s], ends[other] = true, true
			}
		}
	}
	switch {
	case len(ends) > 0:
		return slices.Sorted(maps.Keys(ends))
	case len(roots) > 0 || len(waits) == 0:
		return slices.Sorted(maps.Keys(roots))
	}
	// Search backwards along the waiting sets, from each member not found yet. Nothing leads
	// out of the circle of the last start: a member that it led to would have found it earlier.
	last, found := 0, map[int]bool{}
	back := func(member int) []int {
		if found[member] {
			return nil
		}
		return waited[member]
	}
	for _, member := range slices.Sorted(maps.Keys(waits)) {
		if !found[member] {
			last = member
			maps.Copy(found, reach([]int{member}, back))
		}
	}
	return slices.Sorted(maps.Keys(reach([]int{last}, func(s int) []int { return waits[s] })))
}

// reach returns the given members and all members that steps lead to from them.
func reach(from []int, step func(member int) []int) map[int]bool {
	reached := map[int]bool{}
	for queue := slices.Clone(from); len(queue) > 0; queue = queue[1:] {
		if s := queue[0]; !reached[s] {
			reached[s] = true
			queue = append(queue, step(s)...)
		}
	}
	return reached
}

// waitsFor returns the members that a member waits for, or nil if it is silent or in another
// slot.
func (w *monitor) waitsFor(now time.Duration, st *standing, member int) (waits []int) {
	if member == w.self {
		return st.waiting
	}
	p := w.peer(now, member)
	if now-p.heard > 3*w.every || p.slot != st.slot {
		return nil
	}
	for _, next := range p.heartbeat().Waiting {
		if w.belongs(int(next)) {
			waits = append(waits, int(next))
		}
	}
	return waits
}

// suspects reports whether one member considers another lost although this member hears both.
func (w *monitor) suspects(now time.Duration, member, other int) bool {
	if member == w.self || other == w.self || w.lost(now, member) || w.lost(now, other) {
		return false
	}
	return slices.Contains(w.peer(now, member).heartbeat().Suspects, uint32(other))
}

// apart reports whether two members consider each other lost although this member hears both.
func (w *monitor) apart(now time.Duration, a, b int) bool {
	return w.suspects(now, a, b) && w.suspects(now, b, a)
}

// cutOff reports whether a member considers a member of a view lost although this member hears
// both. With both in the view, the session would stall.
func (w *monitor) cutOff(now time.Duration, member int, v *View) bool {
	return !w.pardoned && slices.ContainsFunc(v.Members, func(other uint32) bool { return w.suspects(now, member, int(other)) })
}

// recent reports whether this member made progress a moment ago.
func (w *monitor) recent(now time.Duration) bool { return now-w.since < busyFor*w.every }

// invites reports whether this member, the lowest live rank of the preset view, has to let in
// members from outside at the beginning of a round.
func (w *monitor) invites(now time.Duration, slot uint64, preset *View) bool {
	if !preset.has(w.self) {
		return false
	}
	for _, r := range preset.Members {
		if int(r) == w.self {
			break
		}
		if w.decides(int(r)) && !w.lost(now, int(r)) {
			return false
		}
	}
	for i, member := range w.watched {
		p := &w.peers[i]
		if member == w.self || preset.has(member) || w.lost(now, member) || !w.comes(now, member, slot, preset) {
			continue
		}
		if p.asked == 0 || p.ready(slot) {
			return true
		}
	}
	return false
}
