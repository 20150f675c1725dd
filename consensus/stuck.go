package consensus

import (
	"maps"
	"slices"
	"time"
)

// What the monitor judges of the ballot at hand.

// judge reports whether this member is to propose its next ballot: the one at hand
// cannot decide, a quorum sees that, and no member of a lower rank that sees it is there.
func (w *monitor) judge(now time.Duration, at *standing) bool {
	reason := w.whyStuck(now, at)
	if reason == "" {
		w.unstick()
		return false
	}
	if w.stuck == "" {
		w.stuckSince = now
		w.due = now // tell the others at once
	}
	w.stuck = reason
	turn, agree := w.turn(now, at.slot)
	if agree < w.Quorum || now-w.stuckSince < time.Duration(turn)*viewWait*w.every {
		return false
	}
	w.noteStall(now, at)
	w.unstick()
	return true
}

// unstick notes that the ballot at hand may decide.
func (w *monitor) unstick() { w.stuck, w.stuckSince = "", 0 }

// turn returns how many members of lower rank see the ballot stuck, too, and how many
// members do in all.
func (w *monitor) turn(now time.Duration, slot uint64) (turn, agree int) {
	agree = 1
	for i, p := range w.peers {
		s := w.watched[i]
		if s == w.self || !w.decides(s) || w.lost(now, s) || p.slot != slot || !p.heartbeat.Stuck {
			continue
		}
		agree++
		if s < w.self {
			turn++
		}
	}
	return turn, agree
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
		return w.whyOwnerStuck(now, at.promised, at.slot)
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
	if owner == w.self { // it goes on, unless others have left it
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
	case p.slot == slot && p.heartbeat.Stuck:
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

// noteStall remembers who held up a session that is given up. A member that does
// so twice is excluded.
func (w *monitor) noteStall(now time.Duration, at *standing) {
	if v := at.working; !w.stalled(now, at) || v == nil || v.amends() {
		return
	}
	roots := w.holdingUp(now, at)
	if len(roots) == 0 {
		return
	}
	last := roots[len(roots)-1]
	if w.stalls[last]++; w.stalls[last] > 1 {
		w.excluded[last] = true
	}
}

// pardon includes the excluded members again: without them there is no view at all,
// and their links may have been mended. It reports whether there are any.
func (w *monitor) pardon() bool {
	if len(w.excluded) == 0 {
		return false
	}
	w.nextSlot()
	return true
}

// holdingUp returns the members that hold the slot up: those that are waited for
// and wait for nobody themselves, or are silent, following the waiting-for sets of
// the heartbeats.
func (w *monitor) holdingUp(now time.Duration, at *standing) []int {
	reached := map[int]bool{w.self: true}
	queue := at.waiting
	root := map[int]bool{}
	for ; len(queue) > 0; queue = queue[1:] {
		s := queue[0]
		if reached[s] {
			continue
		}
		reached[s] = true
		p := w.peer(now, s)
		silent := now-p.heard > 3*w.every
		if silent || p.slot != at.slot || len(p.heartbeat.Waiting) == 0 {
			root[s] = true
			continue
		}
		for _, next := range p.heartbeat.Waiting {
			if w.belongs(int(next)) {
				queue = append(queue, int(next))
			}
		}
	}
	roots := slices.Sorted(maps.Keys(root))
	if roots == nil { // a circle: all wait for each other
		return at.waiting
	}
	return roots
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
		if member == w.self || preset.has(member) || w.lost(now, member) || !w.comes(now, member, slot) {
			continue
		}
		if p.asked == 0 || p.ready(slot) {
			return true
		}
	}
	return false
}
