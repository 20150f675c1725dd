package consensus

import (
	"maps"
	"slices"
	"time"
)

// What the monitor judges of the ballot at hand.

// judge reports whether this member is to propose its next ballot: the one at hand
// cannot decide, a quorum sees that, and no member that sees it has its turn before.
func (w *monitor) judge(now time.Duration, at *standing) bool {
	reason := w.whyStuck(now, at)
	if reason == "" {
		w.unstick()
		return false
	}
	if w.stuck == "" {
		w.due = now // tell the others at once
	}
	failed := w.reachedBallot(now, at)
	turn, agree := w.turn(now, at, failed)
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

// unstick notes that the ballot at hand may decide.
func (w *monitor) unstick() { w.stuck, w.stuckSince = "", 0 }

// turn returns how many members that are stuck, too, have their turn before this one when a
// ballot fails, and how many members are stuck in all.
func (w *monitor) turn(now time.Duration, at *standing, failed uint32) (turn, agree int) {
	agree = 1
	for i, p := range w.peers {
		s := w.watched[i]
		if s == w.self || !w.decides(s) || w.lost(now, s) || p.slot != at.slot || !p.heartbeat.Stuck {
			continue
		}
		if p.heartbeat.Promised < at.promised && p.rhythm.last < w.promised {
			continue // it may have promised this ballot since
		}
		agree++
		if w.roster.turn(s, failed) < w.roster.turn(w.self, failed) {
			turn++
		}
	}
	return turn, agree
}

// reachedBallot returns the highest ballot that a quorum has promised: this member may have
// missed it. It is none below its own.
func (w *monitor) reachedBallot(now time.Duration, at *standing) uint32 {
	promised := []uint32{at.promised}
	for i, p := range w.peers {
		if s := w.watched[i]; s != w.self && w.decides(s) && !w.lost(now, s) && p.slot == at.slot {
			promised = append(promised, p.heartbeat.Promised)
		}
	}
	slices.Sort(promised)
	if len(promised) < w.Quorum {
		return at.promised
	}
	return max(at.promised, promised[len(promised)-w.Quorum])
}

// whyStuck says why the ballot at hand cannot decide, "" as long as it may.
func (w *monitor) whyStuck(now time.Duration, at *standing) string {
	if at.finishing != nil {
		reason := w.whyOwnerStuck(now, at.finishing.Ballot, at.slot)
		if reason == "" && w.stalled(now, at) {
			reason = "nobody passes on what is to be finished"
		}
		return reason
	}
	if at.working == nil {
		reason := w.whyOwnerStuck(now, at.promised, at.slot)
		if reason == "" && now-w.since > stallLeast*w.every && !w.tooFew(now) {
			reason = "its owner makes no view of it"
		}
		return reason
	}
	for _, r := range at.working.Members {
		member := int(r)
		if member == w.self {
			continue
		}
		if reason := w.whyFailed(now, member, at); reason != "" {
			return w.names[member] + " " + reason
		}
	}
	if at.stranded {
		return "this process was started again"
	}
	if w.stalled(now, at) {
		return "the session makes no step"
	}
	return ""
}

// whyFailed says why a member of the view cannot do its part in the ballot.
func (w *monitor) whyFailed(now time.Duration, member int, at *standing) string {
	p := w.peer(now, member)
	switch {
	case w.lost(now, member):
		return w.whyAbsent(now, member, at.slot)
	case p.slot == at.slot && p.heartbeat.Promised > at.promised:
		return "has promised a higher ballot"
	case p.slot == at.slot && p.heartbeat.State == Stranded:
		return "was started again"
	case w.spared(now, member, at):
		return "slow"
	}
	return ""
}

// whyOwnerStuck says why a ballot whose view this member lacks, or which finishes
// an attempt, does not go on.
func (w *monitor) whyOwnerStuck(now time.Duration, ballot uint32, slot uint64) string {
	if ballot == 0 {
		return "the roster has changed"
	}
	owner := w.owner(ballot)
	if owner == w.self { // it goes on, unless others have left it or one does not come to it
		for _, s := range w.watched {
			if at, mute := w.mute[s]; mute && at == ballot {
				return w.names[s] + " does not join it, and the others hear that member"
			}
		}
		for i, s := range w.watched {
			if p := &w.peers[i]; s != owner && !w.lost(now, s) && p.slot == slot && p.heartbeat.Promised > ballot {
				return w.names[s] + " has promised a higher ballot"
			}
		}
		return ""
	}
	p := w.peer(now, owner)
	switch {
	case w.lost(now, owner):
		return w.names[owner] + " " + w.whyAbsent(now, owner, slot)
	case p.slot == slot && p.heartbeat.Promised > ballot:
		return w.names[owner] + " has promised a higher ballot"
	case p.slot == slot && p.heartbeat.Promised == ballot && p.heartbeat.Stuck:
		return "its owner sees no way on"
	}
	return ""
}

// stalled reports whether the session, or the votes of a ballot, have made no step
// for much longer than usual, though all members of it are there. Where a long sum
// still comes to some member by a slow link, that is a step for all.
func (w *monitor) stalled(now time.Duration, at *standing) bool {
	switch at.state {
	case Dealt:
		if w.computing(now, at) {
			return false
		}
	case Fetching:
		if at.decided {
			return false
		}
	case Session, Sealing, Voted:
	default:
		return false
	}
	return now-max(w.since, w.moved) > w.stallAfter()
}

func (w *monitor) stallAfter() time.Duration { return stallAfter(w.usual, w.every) }

// computing reports whether a member whose opening message is lacking is still in its
// local update: however long that takes, it is no stall.
func (w *monitor) computing(now time.Duration, at *standing) bool {
	return slices.ContainsFunc(at.waiting, func(member int) bool {
		p := w.peer(now, member)
		return p.slot == at.slot && p.heartbeat.State == Idle && !p.heartbeat.Behind
	})
}

// noteStall remembers who held up a session that this member leaves. A member that does
// so twice is excluded, or once if both ends of its link say that it is broken. All members
// judge by the same heartbeats, so that their promises name the same member.
func (w *monitor) noteStall(now time.Duration, at *standing) {
	if v := at.working; v == nil || v.amends() {
		return
	}
	roots := w.holdingUp(now, at)
	if len(roots) == 0 {
		return
	}
	last := roots[len(roots)-1]
	broken := slices.ContainsFunc(roots, func(end int) bool { return w.apart(now, end, last) })
	if !broken && !w.stalled(now, at) {
		return
	}
	if w.stalls[last]++; w.stalls[last] > 1 || broken {
		w.excluded[last] = true
	}
}

// pardon includes members again that were left out for their links: without them there is no
// view at all, and the links may have been mended. It reports whether that is new.
func (w *monitor) pardon() bool {
	if w.pardoned && len(w.excluded) == 0 {
		return false
	}
	w.stalls, w.excluded, w.pardoned = map[int]int{}, map[int]bool{}, true
	return true
}

// holdingUp returns the members that hold the slot up, following the waiting-for sets of
// the heartbeats: the ends of broken links; or those that are waited for and wait for nobody
// themselves, or are silent; or a circle that wait for each other.
func (w *monitor) holdingUp(now time.Duration, at *standing) []int {
	waits, waited := map[int][]int{}, map[int][]int{} // for whom a member waits, and who for it
	ends, roots := map[int]bool{}, map[int]bool{}
	for s := range reach(at.waiting, func(s int) []int {
		waits[s] = w.waitsFor(now, at, s)
		return waits[s]
	}) {
		if len(waits[s]) == 0 {
			roots[s] = true
		}
		for _, of := range waits[s] {
			waited[of] = append(waited[of], s)
			if w.suspects(now, s, of) {
				ends[s], ends[of] = true, true
			}
		}
	}
	switch {
	case len(ends) > 0:
		return slices.Sorted(maps.Keys(ends))
	case len(roots) > 0 || len(waits) == 0:
		return slices.Sorted(maps.Keys(roots))
	}
	// The search goes back from each member that was not found from one before it. Nothing
	// leads out of the circle that the last of them is in: what it led to would have found it.
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

// reach returns some members, those that one step leads to from them, and so on.
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

// waitsFor returns the members that one of the slot waits for; none if it is silent.
func (w *monitor) waitsFor(now time.Duration, at *standing, member int) (waits []int) {
	if member == w.self {
		return at.waiting
	}
	p := w.peer(now, member)
	if now-p.heard > 3*w.every || p.slot != at.slot {
		return nil
	}
	for _, next := range p.heartbeat.Waiting {
		if w.belongs(int(next)) {
			waits = append(waits, int(next))
		}
	}
	return waits
}

// suspects reports whether one member takes another for lost though this one hears both.
func (w *monitor) suspects(now time.Duration, member, of int) bool {
	if member == w.self || of == w.self || w.lost(now, member) || w.lost(now, of) {
		return false
	}
	return slices.Contains(w.peer(now, member).heartbeat.Suspects, uint32(of))
}

// apart reports whether two members take each other for lost though this one hears both.
func (w *monitor) apart(now time.Duration, a, b int) bool {
	return w.suspects(now, a, b) && w.suspects(now, b, a)
}

// cutOff reports whether a member does not hear one of a view though this one hears both:
// with both in it, the session would stall.
func (w *monitor) cutOff(now time.Duration, member int, v *View) bool {
	return !w.pardoned && slices.ContainsFunc(v.Members, func(of uint32) bool { return w.suspects(now, member, int(of)) })
}

// recent reports whether this member has made a step a moment ago.
func (w *monitor) recent(now time.Duration) bool { return now-w.since < busyFor*w.every }

// invites reports whether this member is to let members in that are outside the preset
// view, at the beginning of a round: if it is the lowest rank inside.
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
