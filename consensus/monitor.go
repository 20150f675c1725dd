package consensus

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// monitor judges, from the heartbeats of the others and the time that passes, who is
// lost or slow, whether the slot under way makes no step, and who proposes the next
// ballot. What it judges can be wrong at the cost of time, or of a member's place in a sum
// if so many judge alike that not all of them can be colluders: no total depends on it.
// Where this member stands is told to it.
type monitor struct {
	*roster
	every    time.Duration // between two heartbeats
	patience float64       // how many times its usual time a member may compute

	watched []int // the members that peers are of
	peers   []peer

	since time.Duration // of this member's last step forward
	moved time.Duration // when a frame of a long sum was last known to have come to another member
	tick  time.Duration // of the last Tick
	due   time.Duration // of this member's next heartbeat

	helper  int           // who was last asked for what has been decided, -1 for none
	askedAt time.Duration // when a member was last asked

	stuck      string        // why the ballot at hand cannot decide
	stuckSince time.Duration // when a quorum began to find so
	stuckIn    uint32        // the ballot, or a higher one that a quorum has promised
	usual      time.Duration // between this member's call and the decision
	stalls     map[int]int   // sessions of the slot that were given up, by the member that held them up
	excluded   map[int]bool  // members that did so twice
	pardoned   bool          // there is no view without members whose links are broken

	came     time.Duration  // when this member came to the slot
	promised time.Duration  // when it promised the ballot at hand
	mute     map[int]uint32 // members whose promise its own ballot has waited for in vain, by the ballot
}

// The times below are in heartbeats. Those that are measured are in patience.go.
const (
	viewWait    = 2  // for promises of members that are not lost
	agreeWait   = 4  // for others to miss a member, too
	busyFor     = 2  // after a step in which a promise is refused
	longestWait = 32 // between two of the same help
)

// nearSlots is how many slots a member outside the view may be behind by its last
// heartbeat and still be expected to be here in time.
const nearSlots = 8

// standing is where this member stands in the slot under way.
type standing struct {
	slot      uint64
	state     State
	promised  uint32
	finishing *View         // nil if the ballot promised finishes nothing
	working   *View         // nil if it is not known
	preset    *View         // of ballot 0
	began     time.Duration // of this member's call
	stranded  bool          // what this member has dealt in the ballot is of an earlier process
	decided   bool
	waiting   []int // members whose messages this one needs to go on
}

// newMonitor keeps track of the members that matter to one: all others, or, where a
// committee decides and it is not in it, the committee.
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

// reform continues with another roster. New members are given time to come.
func (w *monitor) reform(r *roster, now time.Duration) {
	next := newMonitor(r, w.every, w.patience)
	for i, member := range next.watched {
		if p := w.at(member); p != nil {
			next.peers[i] = *p
		} else {
			next.peers[i].heard = now
		}
	}
	w.roster, w.watched, w.peers, w.helper = r, next.watched, next.peers, -1
}

// nextSlot forgets the members that have held up the slot before.
func (w *monitor) nextSlot(now time.Duration) {
	w.stalls, w.excluded, w.mute = map[int]int{}, map[int]bool{}, map[int]uint32{}
	w.came, w.pardoned = now, false
}

// at returns what is known of a member, nil if it is not kept track of.
func (w *monitor) at(member int) *peer {
	if w.Roster == nil && len(w.peers) == w.Size && member >= 0 && member < w.Size {
		return &w.peers[member]
	}
	if i, in := slices.BinarySearch(w.watched, member); in {
		return &w.peers[i]
	}
	return nil
}

// peer returns what is known of a member. What is noted of one that is not kept track
// of is forgotten.
func (w *monitor) peer(now time.Duration, member int) *peer {
	if p := w.at(member); p != nil {
		return p
	}
	return &peer{heard: now}
}

// Events of the monitor.

// hear notes that a message of a member has come.
func (w *monitor) hear(now time.Duration, from int) { w.peer(now, from).heard = now }

// heartbeat notes where a member stands. Slot and ballot are those that this member is in.
func (w *monitor) heartbeat(now time.Duration, from int, slot uint64, b *Heartbeat, at uint64, promised uint32) {
	p := w.peer(now, from)
	if p.left != nil && now-p.gone > 3*w.every && b.State != Failed {
		p.left = nil // it has come back
	}
	switch {
	case slot > p.slot:
		p.pace.began(now)
	case slot < p.slot:
		p.pace = pace{}
	case slot == at && b.Promised == promised && b.Heard > p.heartbeat.Heard:
		w.moved = now
	}
	p.slot, p.heartbeat = slot, *b
	p.rhythm.hear(now)
}

// leave notes that a member has ended its part.
func (w *monitor) leave(now time.Duration, from int, l *Leave) {
	p := w.peer(now, from)
	p.left, p.gone = l, now
}

// opens notes that a member's local update has ended.
func (w *monitor) opens(now time.Duration, from int) { w.peer(now, from).pace.ended(now) }

// misses notes that this member's ballot has waited in vain for a member that others hear.
func (w *monitor) misses(member int, ballot uint32) { w.mute[member] = ballot }

// joins notes that a member has joined this member's ballot.
func (w *monitor) joins(member int) { delete(w.mute, member) }

// promises notes that this member has promised a higher ballot.
func (w *monitor) promises(now time.Duration) { w.since, w.promised = now, now }

// step notes a step forward of this member.
func (w *monitor) step(now time.Duration) { w.since = now }

// pass lets time pass. If it was this process that was stopped, not the others, they are
// given time to speak.
func (w *monitor) pass(now time.Duration) {
	if now-w.tick > 3*w.every {
		for i := range w.peers {
			w.peers[i].heard, w.peers[i].pace.since = now, now
		}
		w.since, w.stuckSince = now, now
	}
	w.tick = now
}

// note learns from a decision how long slots take, and in the first slot of a round which
// members outside the view are worth waiting for. Took is negative if this member has not called.
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

// lost reports whether a member has been silent for too long, or has left.
func (w *monitor) lost(now time.Duration, member int) bool {
	p := w.peer(now, member)
	if !w.decides(w.self) { // few others send it heartbeats
		return p.left != nil
	}
	return p.left != nil || now-p.heard > lostAfter(p.rhythm.expected(), w.every)
}

// lostMembers returns the members that are lost, in rank order.
func (w *monitor) lostMembers(now time.Duration) (lost []int) {
	for _, s := range w.watched {
		if s != w.self && w.lost(now, s) {
			lost = append(lost, s)
		}
	}
	return lost
}

// silent reports whether nothing was heard of a member for as long as a ballot waits
// for promises. It may be lost soon.
func (w *monitor) silent(now time.Duration, member int) bool {
	return now-w.peer(now, member).heard > viewWait*w.every
}

// whyAbsent says in words that follow the name why a member is not there.
func (w *monitor) whyAbsent(now time.Duration, member int, slot uint64) string {
	p := w.peer(now, member)
	switch {
	case p.left != nil:
		return cmp.Or(printable(p.left.Reason), "it has left")
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
	return p.slot+nearSlots >= slot && !p.heartbeat.Behind
}

// comes reports whether a member outside the preset view is to be expected in a view.
func (w *monitor) comes(now time.Duration, member int, slot uint64, preset *View) bool {
	return w.near(now, member, slot) && !w.silent(now, member) && !w.cutOff(now, member, preset)
}

// without returns the members of the preset view that this one would leave out of the next
// view, in rank order: itself, if its learner does not come to the slot; those that are
// silent, slow, or not in the slot though this member has been for a while; and those that
// have held up sessions or have not answered here.
func (w *monitor) without(now time.Duration, at *standing, joins bool) (out []uint32) {
	settled := now-w.came > viewWait*w.every // each that keeps up has said so since
	for _, r := range at.preset.Members {
		member := int(r)
		if member == w.self {
			if settled && !joins {
				out = append(out, r)
			}
			continue
		}
		_, mute := w.mute[member]
		p := w.peer(now, member)
		if p.left != nil || w.silent(now, member) || settled && !p.ready(at.slot) || w.spared(now, member, at) || w.excluded[member] || mute {
			out = append(out, r)
		}
	}
	return out
}

// follows reports whether a member that does not promise can be in a view: one of the
// last view that was heard of a moment ago may be about to come to the slot, others
// have said that they have.
func (w *monitor) follows(now time.Duration, member int, slot uint64, preset *View) bool {
	if w.lost(now, member) {
		return false
	}
	return w.peer(now, member).ready(slot) || preset.has(member) && w.near(now, member, slot) && !w.silent(now, member)
}

// tooSlow reports whether a member has been computing for many times its usual time, and
// that of the others, while all others wait.
func (w *monitor) tooSlow(now time.Duration, member int, at *standing) bool {
	p := w.peer(now, member)
	if !p.pace.open || p.slot != at.slot || p.heartbeat.State != Idle {
		return false
	}
	limit := slowAfter(p.pace.usual(), w.tookOthers(at.slot), w.patience, w.every)
	return limit > 0 && now-p.pace.since > limit && now-at.began > limit
}

// spared reports whether a member is too slow, and enough are left without all that are.
func (w *monitor) spared(now time.Duration, member int, at *standing) bool {
	if !w.tooSlow(now, member, at) {
		return false
	}
	left := 0
	for _, r := range at.preset.Members {
		if s := int(r); s == w.self || !w.lost(now, s) && !w.tooSlow(now, s, at) {
			left++
		}
	}
	return left >= w.Least
}

// abandoned returns the members that have left for good, if they are so many that no
// view can be formed.
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

// finishedIn returns a member that has finished its run in a slot, -1 if none has.
func (w *monitor) finishedIn(slot uint64) int {
	for i, p := range w.peers {
		if p.heartbeat.State == Finished && p.slot == slot {
			return w.watched[i]
		}
	}
	return -1
}

// tooFew reports whether too few members are there to form a view.
func (w *monitor) tooFew(now time.Duration) bool {
	there, deciding := 0, 0
	for _, s := range w.watched {
		if s == w.self || !w.lost(now, s) {
			there++
			if w.decides(s) {
				deciding++
			}
		}
	}
	// A member outside the committee knows of nobody else.
	return deciding < w.Quorum || len(w.watched) == w.Size && there < w.Least
}

// Help and amendments.

// asks reports whether to ask for what has been decided, if that was not done for the
// given time. A member in a session that gets on finds it there itself. It asks when the
// session has stood still for two heartbeats, and leaves as long for an answer, which may
// hold a vector.
func (w *monitor) asks(now, pause time.Duration, inSession bool) bool {
	if inSession {
		pause = 2 * w.every
		if now-w.since < pause {
			return false
		}
	}
	return now-w.askedAt >= pause
}

// told notes that this member has told all where it stands.
func (w *monitor) told(now time.Duration) { w.due = now + w.every }

// asked notes that a member was asked for what has been decided.
func (w *monitor) asked(now time.Duration) { w.askedAt = now }

// takeHelper returns who is to be asked next, and lets the others have their turn then.
func (w *monitor) takeHelper(now time.Duration, slot uint64) int {
	w.helper = w.nextHelper(now, slot)
	return w.helper
}

// nextHelper returns the next live member after the last one asked, those that
// are ahead first, or -1.
func (w *monitor) nextHelper(now time.Duration, slot uint64) int {
	n, same := len(w.watched), -1
	at, _ := slices.BinarySearch(w.watched, max(w.helper, 0))
	for i := 1; i <= n; i++ {
		s := w.watched[(at+i)%n]
		if s == w.self || !w.decides(s) || w.lost(now, s) {
			continue
		}
		p := w.peer(now, s)
		if p.slot > slot {
			return s
		}
		if same < 0 && (p.slot == slot || !w.decides(w.self)) {
			same = s // an outsider does not know where all of the committee are
		}
	}
	return same
}

// help returns what is remembered of the last help to a member, asked or unasked, if it
// is time to send the same thing again: at first at once, then after twice the time each
// time, so that a slow carrier is not fed faster than it can deliver.
func (w *monitor) help(now time.Duration, to int, asked bool, slot uint64, b *Heartbeat, promised uint32) *help {
	h := &w.peer(now, to).help[0]
	if asked {
		h = &w.peer(now, to).help[1]
	}
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

// supports returns how many members that decide want an amendment, this one included,
// and whether one of lower rank does that can propose it: it has come to the slot, or the
// run is paused.
func (w *monitor) supports(now time.Duration, amends [32]byte) (agree int, lower bool) {
	agree = 1
	for i, member := range w.watched {
		p := &w.peers[i]
		if member == w.self || !w.decides(member) || w.lost(now, member) || p.heartbeat.Amends != amends {
			continue
		}
		agree++
		lower = lower || member < w.self && (w.paused || !p.heartbeat.Behind)
	}
	return agree, lower
}

// wanted returns the amendments that this member and those that it hears of want, in
// the order of their first members. What a heartbeat says that is older than the roster,
// from before the given slot, is not for this one.
func (w *monitor) wanted(now time.Duration, own [32]byte, formed uint64) (all []Wanted) {
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
	add(w.self, own)
	for i, member := range w.watched {
		if p := &w.peers[i]; member != w.self && p.slot >= formed && !w.lost(now, member) {
			add(member, p.heartbeat.Amends)
		}
	}
	for _, x := range all {
		slices.Sort(x.Members)
	}
	slices.SortFunc(all, func(x, y Wanted) int { return cmp.Compare(x.Members[0], y.Members[0]) })
	return all
}
