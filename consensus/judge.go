package consensus

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// Whether an attempt has failed, and who proposes the next one, is judged in this
// file. It can be wrong at the cost of time only: what is safe does not depend on
// it.

// The times below are in Beats, where they are not measured.
const (
	lostLeast    = 8  // of silence before a member can count as lost
	viewWait     = 2  // for promises of members that are not lost
	stallLeast   = 20 // without a step before a session counts as stalled
	slowLeast    = 20 // of computing before a member can count as slow
	busyFor      = 2  // after a step in which a promise is refused
	rhythmLength = 16
	paceLength   = 9
)

// rhythm holds the last gaps between a member's Beats.
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

// lost says whether a member has been silent for too long, or has left.
func (m *Machine) lost(member int) bool {
	p := m.peer(member)
	if !m.roster.decides(m.p.Self) { // few others send it Beats
		return p.left != nil
	}
	return p.left != nil || m.now-p.heard > p.rhythm.limit(lostLeast*m.p.Beat)
}

// silent says whether nothing was heard of a member for as long as a ballot waits
// for promises. It may be lost soon.
func (m *Machine) silent(member int) bool {
	return m.now-m.peer(member).heard > viewWait*m.p.Beat
}

// whyAbsent says in words that follow the name why a member is not there.
func (m *Machine) whyAbsent(member int) string {
	p := m.peer(member)
	switch {
	case p.left != nil:
		return printable(p.left.Reason)
	case m.silent(member):
		return fmt.Sprintf("nothing heard for %s", (m.now - p.heard).Round(time.Second/10))
	case p.slot < m.slot.number:
		return "catching up"
	}
	return "did not answer in time"
}

// tooSlow says whether a member has been computing for many times its usual time,
// while all others wait.
func (m *Machine) tooSlow(member int) bool {
	p := m.peer(member)
	usual := p.pace.usual()
	if usual == 0 || !p.pace.open || p.slot != m.slot.number || p.beat.State != Idle {
		return false
	}
	limit := max(time.Duration(m.p.Patience*float64(usual)), slowLeast*m.p.Beat)
	return m.now-p.pace.since > limit && m.now-m.slot.began > limit
}

// spareSlow says whether enough members are left without those that are too slow.
func (m *Machine) spareSlow() bool {
	left := 0
	for _, r := range m.slot.preset.Members {
		if s := int(r); s == m.p.Self || !m.lost(s) && !m.tooSlow(s) {
			left++
		}
	}
	return left >= m.roster.Least
}

// outcast says whether a member is left out because sessions with it have stalled
// twice.
func (m *Machine) outcast(member int) bool { return m.slot.outcast[member] }

// judge proposes this member's ballot when the attempt under way has failed, a
// quorum sees that it has, and no member of a lower rank does.
func (m *Machine) judge(e *Effects) {
	s := m.slot
	if s.call == nil || s.ballots.commit != nil || s.barred || !m.roster.decides(m.p.Self) {
		m.stuck, m.stuckSince = "", 0
		m.judgeOpening(e)
		return
	}
	if err := m.forsaken(); err != nil {
		m.fail(e, err)
		return
	}
	if m.amendsNow() || m.invites() {
		m.propose(e)
		return
	}
	if s.ballots.unprepared() {
		m.prepare(e) // an earlier process has not come to its view
	}
	if s.ballots.prepares() {
		m.formView(m.now-s.ballots.prepared > viewWait*m.p.Beat, e)
	}
	reason := m.whyStuck()
	if reason == "" {
		m.stuck, m.stuckSince = "", 0
		return
	}
	if m.stuck == "" {
		m.stuckSince = m.now
		m.beat = m.now // tell the others at once
	}
	m.stuck = reason
	turn, agree := m.turn()
	if agree >= m.roster.Quorum && m.now-m.stuckSince >= time.Duration(turn)*viewWait*m.p.Beat {
		m.noteStall()
		m.propose(e)
		m.stuck, m.stuckSince = "", 0
	}
}

// turn returns how many members of lower rank see the attempt stuck, too, and how
// many members do in all.
func (m *Machine) turn() (turn, agree int) {
	agree = 1
	for i, p := range m.peers {
		s := m.watched[i]
		if s == m.p.Self || !m.roster.decides(s) || m.lost(s) || p.slot != m.slot.number || !p.beat.Stuck {
			continue
		}
		agree++
		if s < m.p.Self {
			turn++
		}
	}
	return turn, agree
}

// whyStuck says why the ballot at hand cannot decide, "" as long as it may.
func (m *Machine) whyStuck() string {
	s := m.slot
	if v := s.ballots.finishing(); v != nil {
		reason := m.whyOwnerStuck(v.Ballot)
		if reason == "" && m.stalled() {
			reason = "nobody passes on what is to be finished"
		}
		return reason
	}
	v := s.ballots.working()
	if v == nil {
		return m.whyOwnerStuck(s.ballots.promised)
	}
	for _, r := range v.Members {
		member := int(r)
		if member == m.p.Self {
			continue
		}
		if reason := m.whyFailed(member); reason != "" {
			return m.p.Members[member] + " " + reason
		}
	}
	if a := s.attempts[s.ballots.promised]; a != nil && a.dealt && !a.here && s.ballots.vote == nil {
		return "this process was started again"
	}
	if m.stalled() {
		return "the session makes no step"
	}
	return ""
}

// whyFailed says why a member of the view cannot do its part in the ballot.
func (m *Machine) whyFailed(member int) string {
	p := m.peer(member)
	switch {
	case m.lost(member):
		return m.whyAbsent(member)
	case p.slot == m.slot.number && p.beat.Promised > m.slot.ballots.promised:
		return "has promised a higher ballot"
	case p.slot == m.slot.number && p.beat.State == Stranded:
		return "was started again"
	case m.tooSlow(member) && m.spareSlow():
		return "slow"
	}
	return ""
}

// whyOwnerStuck says why a ballot whose view this member lacks, or which finishes
// an attempt, does not go on.
func (m *Machine) whyOwnerStuck(ballot uint32) string {
	if ballot == 0 {
		return "the roster has changed"
	}
	owner := m.roster.owner(ballot)
	if owner == m.p.Self { // it goes on, unless others have left it
		for i, s := range m.watched {
			if p := &m.peers[i]; s != owner && !m.lost(s) && p.slot == m.slot.number && p.beat.Promised > ballot {
				return m.p.Members[s] + " has promised a higher ballot"
			}
		}
		return ""
	}
	p := m.peer(owner)
	switch {
	case m.lost(owner):
		return m.p.Members[owner] + " " + m.whyAbsent(owner)
	case p.slot == m.slot.number && p.beat.Promised > ballot:
		return m.p.Members[owner] + " has promised a higher ballot"
	case p.slot == m.slot.number && p.beat.Stuck:
		return "its owner sees no way on"
	}
	return ""
}

// stalled says whether the session, or the votes of a ballot, have made no step
// for much longer than usual, though all members of it are there. Where a long sum
// still comes to some member by a slow link, that is a step for all.
func (m *Machine) stalled() bool {
	switch m.State() {
	case Dealt:
		if m.computing() {
			return false
		}
	case Fetching:
		if m.slot.ballots.commit != nil {
			return false
		}
	case Session, Sealing, Voted:
	default:
		return false
	}
	return m.now-max(m.since, m.moved) > max(stallLeast*m.p.Beat, 5*m.usual)
}

// computing says whether a member whose opening message is lacking is still in its
// local update: however long that takes, it is no stall.
func (m *Machine) computing() bool {
	for _, member := range m.waiting() {
		if p := m.peer(member); p.slot == m.slot.number && p.beat.State == Idle && !p.beat.Behind {
			return true
		}
	}
	return false
}

// noteStall remembers who held up a session that is given up. Who does so twice is
// left out.
func (m *Machine) noteStall() {
	s := m.slot
	if v := s.ballots.working(); !m.stalled() || v == nil || v.amends() {
		return
	}
	roots := m.holdingUp()
	if len(roots) == 0 {
		return
	}
	last := roots[len(roots)-1]
	if s.stalls[last]++; s.stalls[last] > 1 {
		s.outcast[last] = true
	}
}

// busy says whether this member works in a session that goes on.
func (m *Machine) busy() bool {
	a := m.slot.attempts[m.slot.ballots.promised]
	return a != nil && a.here && a.lanes != nil && a.result == nil && m.now-m.since < busyFor*m.p.Beat && m.whyStuck() == ""
}

// invites says whether this member is to let members in that are outside the
// preset view: at the beginning of a round, as the lowest rank inside.
func (m *Machine) invites() bool {
	s := m.slot
	if s.ballots.promised != 0 || !m.newRound() || s.attempts[0] != nil && s.attempts[0].lanes != nil {
		return false
	}
	for _, r := range s.preset.Members {
		if int(r) == m.p.Self {
			break
		}
		if m.roster.decides(int(r)) && !m.lost(int(r)) {
			return false
		}
	}
	if !s.preset.has(m.p.Self) {
		return false
	}
	found := false
	for i, member := range m.watched {
		p := &m.peers[i]
		if member == m.p.Self || s.preset.has(member) || m.lost(member) || m.silent(member) || !m.near(member) {
			continue
		}
		if p.asked > 0 && !p.ready(s.number) {
			continue
		}
		found = true
	}
	return found
}

// near says whether a member outside the view keeps up with the slots.
func (m *Machine) near(member int) bool {
	p := m.peer(member)
	return p.slot+nearSlots >= m.slot.number && !p.beat.Behind
}

// nearSlots is how many slots a member outside the view may be behind by its last
// Beat and still be expected to be here in time.
const nearSlots = 8

func (p *peer) ready(slot uint64) bool { return p.slot == slot && !p.beat.Behind }

// forsaken returns an error when so many members have left for good that no view
// can be formed.
func (m *Machine) forsaken() error {
	var left []int
	for i, p := range m.peers {
		if s := m.watched[i]; s != m.p.Self && p.left != nil && !p.left.Returns {
			left = append(left, s)
		}
	}
	if m.roster.Size-len(left) >= m.roster.Least && len(m.watched)-len(left) >= m.roster.Quorum {
		return nil
	}
	return m.leftError(left)
}
