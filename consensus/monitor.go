package consensus

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// A monitor judges from heartbeats and time which members are lost or slow, whether the slot
// makes progress, and who proposes the next ballot. A wrong judgement costs time, or a member's
// place in a sum if more members than the colluders agree. No total depends on it.
type monitor struct {
	*roster
	every    time.Duration // time between two heartbeats
	patience float64       // multiple of its usual time that a member may compute

	watched []int // members that peers describes, in rank order
	peers   []peer

	since time.Duration // last progress of this member
	moved time.Duration // last known arrival of a frame of a long sum at another member
	tick  time.Duration
	due   time.Duration // next heartbeat of this member

	helper  int // last asked for decisions, -1 for none
	askedAt time.Duration

	stuck      string        // why the current ballot cannot decide; "" if it may
	stuckSince time.Duration // when a quorum began to agree
	stuckIn    uint32        // the ballot, or a higher one that a quorum has promised
	usual      time.Duration // from this member's call to the decision
	stalls     map[int]int   // stalled sessions of the slot, by member
	excluded   map[int]bool  // members left out for their links
	pardoned   bool          // no view is possible without members whose links are broken

	came     time.Duration  // arrival of this member in the slot
	promised time.Duration  // promise of the current ballot
	mute     map[int]uint32 // members whose promise this member's ballot did not get in time, by ballot
}

// Waiting times, in heartbeats. Those derived from measurements are in patience.go.
const (
	viewWait    = 2  // for promises of members that are not lost
	agreeWait   = 4  // for others to miss the same member
	busyFor     = 2  // after progress, during which a member refuses promises
	longestWait = 32 // largest time between sending the same help twice
)

// nearSlots is the number of slots that a member outside the view may lag in its last heartbeat
// and still be expected in time.
const nearSlots = 8

// A standing is this member's position in the current slot.
type standing struct {
	slot      uint64
	state     State
	promised  uint32
	finishing *View         // nil if the promised ballot finishes nothing
	working   *View         // nil if no view of the promised ballot is known
	preset    *View         // view of ballot 0
	all       bool          // only a view of all members can decide
	counted   *tally        // members that the slot leaves out after startPatience only; nil for none
	early     bool          // the slot is in the start or in the first StartRounds rounds
	began     time.Duration // start of this member's call
	stranded  bool          // an earlier process dealt in this ballot, and its session is lost
	decided   bool
	waiting   []int // members whose messages this one needs
}

// newMonitor returns a monitor of all members, or for a member outside the committee of a large
// roster, of the committee.
func newMonitor(r *roster, every time.Duration, patience float64) monitor {
	w := monitor{roster: r, every: every, patience: patience, helper: -1, watched: r.Committee}
	if w.watched == nil || r.decides(r.self) {
		w.watched = make([]int, r.Size)
		for i := range w.watched {
			w.watched[i] = r.rank(i)
		}
	}
	w.peers = make([]peer, len(w.watched))
	w.nextSlot(0)
	return w
}

// reform continues with another roster, in which new members get time to come.
func (w *monitor) reform(r *roster, now time.Duration) {
	next := newMonitor(r, w.every, w.patience)
	for i, member := range next.watched {
		if p := w.find(member); p != nil {
			next.peers[i] = *p
		} else {
			next.peers[i].heard = now
		}
	}
	w.roster, w.watched, w.peers, w.helper = r, next.watched, next.peers, -1
}

// nextSlot begins a slot, and forgets the members that held up the one before.
func (w *monitor) nextSlot(now time.Duration) {
	w.stalls, w.excluded, w.mute = map[int]int{}, map[int]bool{}, map[int]uint32{}
	w.came, w.pardoned = now, false
	for i := range w.peers {
		w.peers[i].lacked = 0
	}
}

// find returns the state of a member, or nil for a member that is not monitored.
func (w *monitor) find(member int) *peer {
	if w.ranks == nil && len(w.peers) == w.Size && member >= 0 && member < w.Size {
		return &w.peers[member]
	}
	if i, in := slices.BinarySearch(w.watched, member); in {
		return &w.peers[i]
	}
	return nil
}

// peer returns the state of a member. For a member that is not monitored it returns a temporary
// one, so changes to it are lost.
func (w *monitor) peer(now time.Duration, member int) *peer {
	if p := w.find(member); p != nil {
		return p
	}
	return &peer{heard: now}
}

func (w *monitor) hear(now time.Duration, from int) { w.peer(now, from).heard = now }

// heartbeat records a member's heartbeat. slot is the member's slot; current and promised are this
// member's slot and ballot.
func (w *monitor) heartbeat(now time.Duration, from int, slot uint64, b *Heartbeat, current uint64, promised uint32) {
	p := w.peer(now, from)
	if p.left != nil && now-p.gone > 3*w.every && b.State != Failed {
		p.left = nil // it has come back
	}
	switch {
	case slot > p.slot:
		p.pace.began(now)
	case slot < p.slot:
		p.pace = pace{}
	case slot == current && b.Promised == promised && b.Heard > p.heartbeat().Heard:
		w.moved = now
	}
	p.slot, p.said = slot, b
	p.rhythm.hear(now)
}

func (w *monitor) leave(now time.Duration, from int, l *Leave) {
	p := w.peer(now, from)
	p.left, p.gone = l, now
}

// opens records that a member's local update has ended.
func (w *monitor) opens(now time.Duration, from int) { w.peer(now, from).pace.ended(now) }

// misses records that this member's ballot did not get the promise of a member that others
// hear.
func (w *monitor) misses(member int, ballot uint32) { w.mute[member] = ballot }

func (w *monitor) joins(member int) { delete(w.mute, member) }

// promises records that this member has promised a higher ballot.
func (w *monitor) promises(now time.Duration) { w.since, w.promised = now, now }

// step records that this member has made progress.
func (w *monitor) step(now time.Duration) { w.since = now }

// pass records a Tick. If this process was stopped for a while, it gives all members time to
// send before they are judged.
func (w *monitor) pass(now time.Duration) {
	if now-w.tick > 3*w.every {
		for i := range w.peers {
			w.peers[i].heard, w.peers[i].pace.since = now, now
		}
		w.since, w.stuckSince = now, now
	}
	w.tick = now
}

// note learns from a decision how long slots take and, in the first slot of a round, which
// members outside the view are worth waiting for. took is negative without a call.
func (w *monitor) note(now, took time.Duration, newRound, invited bool, members []uint32) {
	if took >= 0 {
		w.usual = max(took, w.usual-w.usual/8)
	}
	if !newRound {
		return
	}
	for i, member := range w.watched {
		p := &w.peers[i]
		_, in := slices.BinarySearch(members, uint32(member))
		switch {
		case in:
			p.misses, p.asked = 0, 0
		case p.asked > 0:
			p.asked--
		case invited && !w.lost(now, member):
			p.misses = min(p.misses+1, 4)
			p.asked = 1 << p.misses
		}
	}
}

// Members.

// lost reports whether a member has left or has been silent for too long.
func (w *monitor) lost(now time.Duration, member int) bool {
	p := w.peer(now, member)
	if !w.decides(w.self) { // this member gets heartbeats from few others
		return p.left != nil
	}
	return p.left != nil || now-p.heard > lostAfter(p.rhythm.expected(), w.every)
}

func (w *monitor) lostMembers(now time.Duration) (lost []int) {
	for _, s := range w.watched {
		if s != w.self && w.lost(now, s) {
			lost = append(lost, s)
		}
	}
	return lost
}

// silent reports whether a member has been silent for as long as a ballot waits for promises, so
// that it may soon be lost.
func (w *monitor) silent(now time.Duration, member int) bool {
	return now-w.peer(now, member).heard > viewWait*w.every
}

// whyAbsent returns why a member is not there, in words that follow its name.
func (w *monitor) whyAbsent(now time.Duration, member int, slot uint64) string {
	p := w.peer(now, member)
	switch {
	case p.left != nil:
		return cmp.Or(oneLine(p.left.Reason), "it has left")
	case w.silent(now, member):
		return fmt.Sprintf("nothing heard for %s", (now - p.heard).Round(time.Second/10))
	case p.slot < slot:
		return "catching up"
	}
	return "did not answer in time"
}

// near reports whether a member outside the view keeps up with the slots.
func (w *monitor) near(now time.Duration, member int, slot uint64) bool {
	p := w.peer(now, member)
	return p.slot+nearSlots >= slot && !p.heartbeat().Behind
}

// comes reports whether a member outside the preset view is expected in a view.
func (w *monitor) comes(now time.Duration, member int, slot uint64, preset *View) bool {
	return w.near(now, member, slot) && !w.silent(now, member) && !w.cutOff(now, member, preset)
}

// without returns the members of the preset view that this member would leave out of the next
// view, in rank order. The slot lacks them and does not wait for them. This member leaves out
// itself if its learner does not come.
func (w *monitor) without(now time.Duration, st *standing, joins bool) (out []uint32) {
	for _, r := range st.preset.Members {
		member := int(r)
		leaves := w.lacks(now, member, st) && !w.awaits(now, member, st)
		if member == w.self {
			leaves = now-w.came > viewWait*w.every && !joins
		}
		if leaves {
			out = append(out, r)
		}
	}
	return out
}

// follows reports whether a member that does not vote can be in a view: its learner has come to
// the slot, or it was in the last view, was heard recently and keeps up.
func (w *monitor) follows(now time.Duration, member int, slot uint64, preset *View) bool {
	if w.lost(now, member) {
		return false
	}
	return w.peer(now, member).ready(slot) || preset.has(member) && w.near(now, member, slot) && !w.silent(now, member)
}

// tooSlow reports whether a member has been computing for much longer than its usual time and
// that of the others, and this member's call has waited as long.
func (w *monitor) tooSlow(now time.Duration, member int, st *standing) bool {
	p := w.peer(now, member)
	if !p.pace.underway || p.slot != st.slot || p.heartbeat().State != Idle {
		return false
	}
	least := slowLeast
	if st.early {
		least = slowEarly
	}
	limit := slowAfter(p.pace.usual(), w.tookOthers(st.slot), w.patience, least, w.every)
	return limit > 0 && now-p.pace.since > limit && now-st.began > limit
}

// spared reports whether a member is too slow, and enough members remain without all slow ones.
func (w *monitor) spared(now time.Duration, member int, st *standing) bool {
	if !w.tooSlow(now, member, st) {
		return false
	}
	left := 0
	for _, r := range st.preset.Members {
		if s := int(r); s == w.self || !w.lost(now, s) && !w.tooSlow(now, s, st) {
			left++
		}
	}
	return left >= w.Least
}

// abandoned returns the members that have left for good, or nil if a view is possible without
// them.
func (w *monitor) abandoned() []int {
	var left []int
	for i, p := range w.peers {
		if s := w.watched[i]; s != w.self && p.left != nil && !p.left.Returns {
			left = append(left, s)
		}
	}
	if w.Size-len(left) >= w.Least && len(w.watched)-len(left) >= w.Quorum {
		return nil
	}
	return left
}

// finishedIn returns a member that has finished its run in a slot, or -1.
func (w *monitor) finishedIn(slot uint64) int {
	for i, p := range w.peers {
		if p.heartbeat().State == Finished && p.slot == slot {
			return w.watched[i]
		}
	}
	return -1
}

// tooFew reports whether too few members are there to form a view of the slot.
func (w *monitor) tooFew(now time.Duration, st *standing) bool {
	present, deciding := 0, 0
	for _, s := range w.watched {
		if s == w.self || !w.lost(now, s) {
			present++
			if w.decides(s) {
				deciding++
			}
		}
	}
	// A member outside the committee knows only of the committee.
	return deciding < w.Quorum || len(w.watched) == w.Size && present < w.needs(now, st)
}

// Help and amendments.

// asks reports whether to ask for decisions: the last request is at least pause ago. A session
// that makes progress yields the decision itself. So in a session it asks only after two
// heartbeats without progress, and leaves as long for the answer, which may contain a vector.
func (w *monitor) asks(now, pause time.Duration, inSession bool) bool {
	if inSession {
		pause = 2 * w.every
		if now-w.since < pause {
			return false
		}
	}
	return now-w.askedAt >= pause
}

func (w *monitor) beat(now time.Duration) { w.due = now + w.every }

func (w *monitor) asked(now time.Duration) { w.askedAt = now }

// takeHelper returns the member to ask next, and passes the turn on.
func (w *monitor) takeHelper(now time.Duration, slot uint64) int {
	w.helper = w.nextHelper(now, slot)
	return w.helper
}

// nextHelper returns the next live member after the one asked last, or -1. Members that are
// ahead come first.
func (w *monitor) nextHelper(now time.Duration, slot uint64) int {
	n, same := len(w.watched), -1
	from, _ := slices.BinarySearch(w.watched, max(w.helper, 0))
	for i := 1; i <= n; i++ {
		s := w.watched[(from+i)%n]
		if s == w.self || !w.decides(s) || w.lost(now, s) {
			continue
		}
		p := w.peer(now, s)
		if p.slot > slot {
			return s
		}
		if same < 0 && (p.slot == slot || !w.decides(w.self)) {
			same = s // an outsider does not know which slot each member of the committee is in
		}
	}
	return same
}

// help returns the record of the last help to a member, or nil if it is too early to send the
// same again. The first time is at once; then the wait doubles, so that a slow carrier is not
// overloaded.
func (w *monitor) help(now time.Duration, to int, asked bool, slot uint64, b *Heartbeat, promised uint32) *help {
	h := w.peer(now, to).help(asked)
	if h.slot != slot || h.ballot != promised || h.state != b.State || h.round != b.Round || h.wait == 0 {
		*h = help{slot: slot, ballot: promised, state: b.State, round: b.Round, wait: w.every / 2}
	}
	if now < h.next {
		return nil
	}
	h.wait = min(2*h.wait, longestWait*w.every)
	h.next = now + h.wait
	return h
}

// supports returns the number of voting members that request an amendment, including this one,
// and whether one of lower rank can propose it: its learner has come, or the run is paused.
func (w *monitor) supports(now time.Duration, amends [32]byte) (agree int, lower bool) {
	agree = 1
	for i, member := range w.watched {
		p := &w.peers[i]
		if member == w.self || !w.decides(member) || w.lost(now, member) || p.heartbeat().Amends != amends {
			continue
		}
		agree++
		lower = lower || member < w.self && (w.paused || !p.heartbeat().Behind)
	}
	return agree, lower
}

// wanted returns the amendments that members request, in the order of their lowest ranks.
// Heartbeats from slots before formed belong to an earlier roster and do not count.
func (w *monitor) wanted(now time.Duration, requested [32]byte, formed uint64) (all []Wanted) {
	add := func(member int, amends [32]byte) {
		if amends == [32]byte{} {
			return
		}
		i := slices.IndexFunc(all, func(x Wanted) bool { return x.Amends == amends })
		if i < 0 {
			i, all = len(all), append(all, Wanted{Amends: amends})
		}
		all[i].Members = append(all[i].Members, uint32(member))
	}
	add(w.self, requested)
	for i, member := range w.watched {
		if p := &w.peers[i]; member != w.self && p.slot >= formed && !w.lost(now, member) {
			add(member, p.heartbeat().Amends)
		}
	}
	for _, x := range all {
		slices.Sort(x.Members)
	}
	slices.SortFunc(all, func(x, y Wanted) int { return cmp.Compare(x.Members[0], y.Members[0]) })
	return all
}
