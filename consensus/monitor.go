package consensus

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"
)

// monitor judges, from the heartbeats of the others and the time that passes, who is
// lost or slow, whether the slot under way makes no step, and who proposes the next
// ballot. What it judges can be wrong at the cost of time only: nothing that is safe
// depends on it. Where this member stands is told to it.
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

	stuck      string // why the ballot at hand cannot decide
	stuckSince time.Duration
	usual      time.Duration // between this member's call and the decision
	stalls     map[int]int   // sessions of the slot that were given up, by the member that held them up
	excluded   map[int]bool  // members that did so twice
}

// The times below are in heartbeats, where they are not measured.
const (
	lostLeast   = 8  // of silence before a member can count as lost
	viewWait    = 2  // for promises of members that are not lost
	stallLeast  = 20 // without a step before a session counts as stalled
	slowLeast   = 20 // of computing before a member can count as slow
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

// newMonitor keeps track of those who matter to a member: all others, or, where a
// committee decides and it is not of it, the committee.
func newMonitor(r *roster, every time.Duration, patience float64) monitor {
	w := monitor{roster: r, every: every, patience: patience, helper: -1, watched: r.Committee}
	if w.watched == nil || r.decides(r.self) {
		w.watched = make([]int, r.Size)
		for i := range w.watched {
			w.watched[i] = r.rank(i)
		}
	}
	w.peers = make([]peer, len(w.watched))
	w.nextSlot()
	return w
}

// reform goes on with another roster. Who is new is given time to come.
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

// nextSlot forgets who has held up the slot before.
func (w *monitor) nextSlot() { w.stalls, w.excluded = map[int]int{}, map[int]bool{} }

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

// What comes in.

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
	return p.left != nil || now-p.heard > p.rhythm.limit(lostLeast*w.every)
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
func (w *monitor) comes(now time.Duration, member int, slot uint64) bool {
	return w.near(now, member, slot) && !w.silent(now, member)
}

// follows reports whether a member that does not promise can be in a view: one of the
// last view that was heard of a moment ago may be about to come to the slot, others
// have said that they have.
func (w *monitor) follows(now time.Duration, member int, slot uint64, preset *View) bool {
	if w.lost(now, member) {
		return false
	}
	return w.peer(now, member).ready(slot) || preset.has(member) && w.comes(now, member, slot)
}

// tooSlow reports whether a member has been computing for many times its usual time,
// while all others wait.
func (w *monitor) tooSlow(now time.Duration, member int, at *standing) bool {
	p := w.peer(now, member)
	usual := p.pace.usual()
	if usual == 0 || !p.pace.open || p.slot != at.slot || p.heartbeat.State != Idle {
		return false
	}
	limit := max(time.Duration(w.patience*float64(usual)), slowLeast*w.every)
	return now-p.pace.since > limit && now-at.began > limit
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
	// Who is not of the committee knows of nobody else.
	return deciding < w.Quorum || len(w.watched) == w.Size && there < w.Least
}

// The ballot at hand.

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

func (w *monitor) stallAfter() time.Duration { return max(stallLeast*w.every, 5*w.usual) }

// computing reports whether a member whose opening message is lacking is still in its
// local update: however long that takes, it is no stall.
func (w *monitor) computing(now time.Duration, at *standing) bool {
	return slices.ContainsFunc(at.waiting, func(member int) bool {
		p := w.peer(now, member)
		return p.slot == at.slot && p.heartbeat.State == Idle && !p.heartbeat.Behind
	})
}

// noteStall remembers who held up a session that is given up. Who does so twice is
// excluded.
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

// pardon includes those again who were excluded: without them there is no view at all,
// and their links may have been mended. It reports whether there are any.
func (w *monitor) pardon() bool {
	any := len(w.excluded) > 0
	if any {
		w.nextSlot()
	}
	return any
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
// and whether one of lower rank that has come to the slot does.
func (w *monitor) supports(now time.Duration, amends [32]byte) (agree int, lower bool) {
	agree = 1
	for i, member := range w.watched {
		p := &w.peers[i]
		if member == w.self || !w.decides(member) || w.lost(now, member) || p.heartbeat.Amends != amends {
			continue
		}
		agree++
		lower = lower || member < w.self && !p.heartbeat.Behind
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

// peer is what is known of another member.
type peer struct {
	heard     time.Duration // when its last message came
	rhythm    rhythm        // of its heartbeats
	slot      uint64        // of its last heartbeat
	heartbeat Heartbeat     // its last heartbeat
	left      *Leave
	gone      time.Duration // when it left
	help      [2]help       // unasked and asked
	pace      pace          // of its local updates
	asked     uint32        // rounds to come in which it is not waited for again at the round's start
	misses    uint32        // times that it was waited for in vain
}

// ready reports whether the member's learner has come to a slot.
func (p *peer) ready(slot uint64) bool { return p.slot == slot && !p.heartbeat.Behind }

// help is what was last sent again to a member.
type help struct {
	slot   uint64
	ballot uint32 // promised here
	state  State
	round  uint32
	next   time.Duration // when to send it once more
	wait   time.Duration // between the last time and the next
}

const (
	rhythmLength = 16
	paceLength   = 9
)

// rhythm holds the last gaps between a member's heartbeats.
type rhythm struct {
	last time.Duration
	gaps []time.Duration
	far  time.Duration // six deviations above the median gap, once worked out; 0 if not
}

func (r *rhythm) hear(now time.Duration) {
	if r.last > 0 {
		r.gaps = append(r.gaps, now-r.last)
		r.far = 0
		if len(r.gaps) > rhythmLength {
			r.gaps = r.gaps[1:]
		}
	}
	r.last = now
}

// limit returns after what silence the member counts as lost: six deviations above
// the median gap, and no less than least.
func (r *rhythm) limit(least time.Duration) time.Duration {
	if r.far == 0 && len(r.gaps) > 0 {
		mid := median(r.gaps)
		var square float64
		for _, g := range r.gaps {
			square += float64(g-mid) * float64(g-mid)
		}
		r.far = mid + 6*time.Duration(math.Sqrt(square/float64(len(r.gaps))))
	}
	return max(least, r.far)
}

// pace holds how long a member's last local updates took, from the slot's
// beginning to its opening message.
type pace struct {
	since time.Duration
	open  bool
	took  []time.Duration
}

func (p *pace) began(now time.Duration) { p.since, p.open = now, true }

func (p *pace) ended(now time.Duration) {
	if !p.open {
		return
	}
	p.open = false
	p.took = append(p.took, now-p.since)
	if len(p.took) > paceLength {
		p.took = p.took[1:]
	}
}

func (p *pace) usual() time.Duration {
	if len(p.took) == 0 {
		return 0
	}
	return median(p.took)
}

func median(d []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(d))
	return sorted[len(sorted)/2]
}
