package consensus

import (
	"fmt"
	"slices"
	"time"
)

// peer is what is known of another member.
type peer struct {
	heard  time.Duration // when its last message came
	rhythm rhythm        // of its Beats
	slot   uint64        // of its last Beat
	beat   Beat          // its last Beat
	left   *Leave
	gone   time.Duration // when it left
	help   [2]help       // unasked and asked
	pace   pace          // of its local updates
	asked  uint32        // rounds to come in which it is not waited for again at the round's start
	misses uint32        // times that it was waited for in vain
}

// help is what was last sent again to a member.
type help struct {
	slot   uint64
	ballot uint32 // promised here
	state  State
	round  uint32
	next   time.Duration // when to send it once more
	wait   time.Duration // between the last time and the next
}

// passTime beats, judges whether the attempt under way has failed, and tells what
// is due.
func (m *Machine) passTime(e *Effects) {
	if m.now-m.tick > 3*m.p.Beat {
		// This process was stopped, not the others: give them time to speak.
		for i := range m.peers {
			m.peers[i].heard, m.peers[i].pace.since = m.now, m.now
		}
		m.since, m.stuckSince = m.now, m.now
	}
	m.tick = m.now
	if m.err != nil {
		return
	}
	m.tellShares(e)
	m.judge(e)
	if m.now >= m.beat && m.err == nil {
		m.sendBeat(All, e)
	}
}

func (m *Machine) sendBeat(to int, e *Effects) {
	if to == All {
		m.beat = m.now + m.p.Beat
	}
	s := m.slot
	b := &Beat{State: m.State(), Promised: s.ballots.promised, Viewed: s.ballots.viewed(), Behind: !m.joins(), Stuck: m.stuck != "", Amends: m.wished()}
	if s.ballots.commit != nil && s.unmask != nil && s.unmask.session != nil {
		b.Round = uint32(s.unmask.session.Round())
	} else if a := s.attempts[s.ballots.promised]; a != nil {
		b.Round = a.round()
	}
	b.Heard = s.heard()
	ask := to
	if to == All && m.asks(0) {
		m.helper = m.nextHelper()
		ask = m.helper
	}
	if ask >= 0 {
		b.Ask, m.askedAt = uint32(ask)+1, m.now
	}
	for _, w := range m.waiting() {
		b.Waiting = append(b.Waiting, uint32(w))
	}
	for _, s := range m.watched {
		if s != m.p.Self && m.lost(s) {
			b.Suspects = append(b.Suspects, uint32(s))
		}
	}
	if to != All {
		m.send(e, to, s.ballots.promised, b)
		return
	}
	m.tell(e, s.ballots.promised, b)
	m.passOn(e, s.ballots.promised, b)
	if m.roster.Committee != nil {
		for _, w := range b.Waiting[:min(len(b.Waiting), fewWaited)] {
			if !m.roster.decides(int(w)) {
				m.send(e, int(w), s.ballots.promised, b)
			}
		}
	}
}

// fewWaited bounds the members outside the committee that a Beat goes to, since
// they are waited for.
const fewWaited = 8

// asks says whether to ask for what has been decided, if that was not done for the
// given time. A member whose session gets on finds it there itself. It asks when the
// session has stood still for two Beats, and leaves as long for an answer, which may
// hold a vector.
func (m *Machine) asks(pause time.Duration) bool {
	s := m.slot
	a, u := s.attempts[s.ballots.promised], s.unmask
	if a != nil && a.lanes != nil && a.result == nil || s.ballots.commit != nil && u != nil && u.session != nil {
		pause = 2 * m.p.Beat
		if m.now-m.since < pause {
			return false
		}
	}
	return m.now-m.askedAt >= pause
}

// nextHelper returns the next live member after the last one asked, those that
// are ahead first, or -1.
func (m *Machine) nextHelper() int {
	n, same := len(m.watched), -1
	at, _ := slices.BinarySearch(m.watched, max(m.helper, 0))
	for i := 1; i <= n; i++ {
		s := m.watched[(at+i)%n]
		if s == m.p.Self || !m.roster.decides(s) || m.lost(s) {
			continue
		}
		p := m.peer(s)
		if p.slot > m.slot.number {
			return s
		}
		if same < 0 && (p.slot == m.slot.number || !m.roster.decides(m.p.Self)) {
			same = s // an outsider does not know where all of the committee are
		}
	}
	return same
}

// ask asks one member at once for what has been decided.
func (m *Machine) ask(e *Effects) {
	if to := m.nextHelper(); to >= 0 {
		m.sendBeat(to, e)
	}
}

// receiveBeat notes where a member stands and helps it on.
func (m *Machine) receiveBeat(from int, slot uint64, b *Beat, e *Effects) {
	p := m.peer(from)
	if p.left != nil && m.now-p.gone > 3*m.p.Beat && b.State != Failed {
		p.left = nil // it has come back
	}
	if slot > p.slot {
		p.pace.began(m.now)
	}
	if slot < p.slot {
		p.pace = pace{}
	}
	if slot == m.slot.number && p.slot == slot && b.Promised == m.slot.ballots.promised && b.Heard > p.beat.Heard {
		m.moved = m.now
	}
	p.slot, p.beat = slot, *b
	p.rhythm.hear(m.now)
	if b.State == Finished && slot <= m.slot.number && m.slot.call != nil && slot == m.slot.number {
		m.fail(e, m.finishedError(from))
		return
	}
	if slot > m.slot.number && m.asks(m.p.Beat/8) {
		m.sendBeat(from, e)
	}
	m.help(from, slot, b, e)
}

// help sends a member what it lacks and this member has: because it waits for this
// member's own messages, or asks this one for what has been decided.
func (m *Machine) help(to int, slot uint64, b *Beat, e *Effects) {
	asks := b.Ask == uint32(m.p.Self)+1
	waits := slices.Contains(b.Waiting, uint32(m.p.Self)) && (m.now-m.since >= 2*m.p.Beat || asks)
	if !asks && !waits && !(slot == m.slot.number && m.lacksPrepare(to, b)) {
		return
	}
	h := &m.peer(to).help[0]
	if asks {
		h = &m.peer(to).help[1]
	}
	if !m.helpAgain(h, slot, b) {
		return
	}
	sent := len(e.Sends) + len(e.Serves)
	switch {
	case slot == m.slot.number:
		m.helpOn(to, b, asks, e)
	case m.last != nil && slot == m.last.number:
		if asks {
			m.helpOpen(m.last, to, b, e)
		}
	case asks && slot < m.slot.number && slot+1 < m.slot.number: // slots of nonsense wrap around
		e.Serves = append(e.Serves, Serve{To: to, Slot: slot})
	}
	if len(e.Sends)+len(e.Serves) == sent {
		*h = help{} // what has not been sent yet is not waited for longer and longer
	}
}

// lacksPrepare says whether a member of the same slot has not promised the ballot
// that this member prepares, or has done so before its learner had come to the slot.
// The wait for promises is short: the member may have been in an earlier slot when
// it was asked.
func (m *Machine) lacksPrepare(to int, b *Beat) bool {
	s := m.slot
	if s.ballots.commit != nil || !s.ballots.prepares() || b.Promised > s.ballots.promised {
		return false
	}
	p, promised := s.ballots.promises[to]
	return !promised || !p.Joins && !b.Behind
}

// helpOn sends what a member of the same slot lacks.
func (m *Machine) helpOn(to int, b *Beat, asks bool, e *Effects) {
	s := m.slot
	if s.ballots.commit != nil {
		if asks {
			m.helpOpen(s, to, b, e)
		}
		m.unmaskAgain(to, b, e)
		return
	}
	if m.lacksPrepare(to, b) {
		m.send(e, to, s.ballots.promised, &Prepare{})
		return
	}
	if v := s.ballots.newest(); v != nil && b.Viewed < v.Ballot && asks {
		m.send(e, to, v.Ballot, v)
	}
	if f := s.ballots.finish; f != nil && asks && s.sealed[f.Finish.Attempt] != nil && b.State == Fetching {
		m.send(e, to, f.Finish.Attempt, &Seal{Sealed: s.sealed[f.Finish.Attempt]})
	}
	if v := s.ballots.working(); v != nil && v.amends() && asks && s.sealed[v.Ballot] != nil && b.State == Fetching && b.Promised == v.Ballot {
		m.send(e, to, v.Ballot, &Seal{Sealed: s.sealed[v.Ballot]})
	}
	if s.ballots.vote != nil {
		d := s.ballots.ownDone()
		m.send(e, to, s.ballots.vote.Ballot, &d)
	}
	m.again(to, b, e)
}

// again sends this member's own messages of the attempt under way that a member
// of it waits for.
func (m *Machine) again(to int, b *Beat, e *Effects) {
	s := m.slot
	a := s.attempts[s.ballots.promised]
	if a == nil || !a.here || b.Promised != s.ballots.promised || !a.view.has(to) {
		return
	}
	switch b.State {
	case Idle, Dealt:
		if slices.Contains(m.opensTowards(a), to) {
			m.send(e, to, s.ballots.promised, m.opening(a, to))
		}
	case Session:
		for lane, x := range a.lanes {
			for round := int(b.Round); round <= int(b.Round)+1; round++ {
				m.sendFrames(a, lane, x.Again(to, round), e)
			}
		}
	case Sealing:
		if s.ballots.vote != nil && s.sealed[s.ballots.promised] != nil {
			m.send(e, to, s.ballots.promised, &Seal{Sealed: s.sealed[s.ballots.promised]})
		}
	}
}

// helpOpen sends what opens a decided slot.
func (m *Machine) helpOpen(s *slot, to int, b *Beat, e *Effects) {
	attempt := s.ballots.commit.Value.Attempt
	send := func(body Body) {
		e.Sends = append(e.Sends, Send{To: to, Message: Message{Slot: s.number, Ballot: attempt, Body: body}})
	}
	send(&Commit{Certificate: s.ballots.commit})
	// Who has voted has a result, nearly always this one.
	switch sealed := s.sealed[attempt]; {
	case sealed == nil || b.State == Opening || b.State == Voted:
	case sealed.onDisk():
		e.Serves = append(e.Serves, Serve{To: to, Slot: s.number, Ballot: attempt, Entry: EntrySealed + fmt.Sprint(attempt)})
	default:
		send(&Seal{Sealed: sealed})
	}
	if m.roster.Committee != nil {
		switch u := s.unmask; {
		case s.padSum != nil:
			send(&Opened{Words: s.padSum})
		case u != nil && u.epoch > 0:
			send(&Reopen{Epoch: u.epoch, Lost: u.lost})
		}
		return
	}
	pads := &Pads{}
	var lacking []int
	if sealed := s.sealed[attempt]; sealed != nil {
		for _, owner := range sealed.Members {
			if pad, known := s.pads[int(owner)]; known {
				pads.Pads = append(pads.Pads, Pad{owner, pad})
			} else {
				lacking = append(lacking, int(owner))
			}
		}
	}
	if pads.Pads != nil {
		send(pads)
	}
	if b := s.sharesOf(lacking); b != nil {
		send(b)
	}
}

// longestWait is the longest time between two of the same help, in Beats.
const longestWait = 32

// helpAgain says whether it is time to send the same thing again: at first at
// once, then after twice the time each time, so that a slow carrier is not fed
// faster than it can deliver.
func (m *Machine) helpAgain(h *help, slot uint64, b *Beat) bool {
	promised := m.slot.ballots.promised
	if h.slot != slot || h.ballot != promised || h.state != b.State || h.round != b.Round || h.wait == 0 {
		*h = help{slot: slot, ballot: promised, state: b.State, round: b.Round, wait: m.p.Beat / 2}
	}
	if m.now < h.next {
		return false
	}
	h.wait = min(2*h.wait, longestWait*m.p.Beat)
	h.next = m.now + h.wait
	return true
}
