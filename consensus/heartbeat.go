package consensus

import (
	"fmt"
	"slices"
	"time"
)

// This file has the messages that members repeat: heartbeats with their state, and help, which
// is messages that another member asks for or waits for.

// passTime judges whether the current attempt has failed, and sends a heartbeat if it is due.
func (m *Machine) passTime(e *Effects) {
	if m.slot.modelRound <= StartRounds {
		m.monitor.countLacking(m.now, m.standing())
	}
	m.monitor.pass(m.now)
	if m.err != nil {
		return
	}
	m.judge(e)
	if m.now >= m.monitor.due && m.err == nil {
		m.sendHeartbeat(All, e)
	}
}

func (m *Machine) sendHeartbeat(to int, e *Effects) {
	if to == All {
		m.monitor.beat(m.now)
	}
	s := m.slot
	b := &Heartbeat{State: m.State(), Promised: s.ballots.promised, Viewed: s.ballots.viewed(), Behind: !m.joins(), Stuck: m.monitor.stuck != "", Amends: m.requested()}
	if round, opens := s.opens(); opens {
		b.Round = round
	} else if a := s.attempts[s.ballots.promised]; a != nil {
		b.Round = a.round()
	}
	b.Heard = s.attempts[s.ballots.promised].heard()
	ask := to
	if to == All && m.asks(0) {
		ask = m.monitor.takeHelper(m.now, s.number)
	}
	if ask >= 0 {
		b.Ask = uint32(ask) + 1
		m.monitor.asked(m.now)
	}
	for _, w := range m.waiting() {
		b.Waiting = append(b.Waiting, uint32(w))
	}
	for _, s := range m.monitor.lostMembers(m.now) {
		b.Suspects = append(b.Suspects, uint32(s))
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

// fewWaited is the largest number of members outside the committee that get a heartbeat because
// they are waited for.
const fewWaited = 8

// asks reports whether to ask for decisions now: this member has not done so for the given
// time.
func (m *Machine) asks(pause time.Duration) bool {
	s := m.slot
	a := s.attempts[s.ballots.promised]
	_, opens := s.opens()
	return m.monitor.asks(m.now, pause, opens || a != nil && a.lanes != nil && a.result == nil)
}

func (m *Machine) ask(e *Effects) {
	if to := m.monitor.nextHelper(m.now, m.slot.number); to >= 0 {
		m.sendHeartbeat(to, e)
	}
}

// receiveHeartbeat records a member's state and helps it.
func (m *Machine) receiveHeartbeat(from int, slot uint64, b *Heartbeat, e *Effects) {
	m.monitor.heartbeat(m.now, from, slot, b, m.slot.number, m.slot.ballots.promised)
	if b.State == Finished && m.slot.call != nil && slot == m.slot.number {
		m.fail(e, m.roster.finishedError(from))
		return
	}
	if slot > m.slot.number && m.asks(m.p.Heartbeat/8) {
		m.sendHeartbeat(from, e)
	}
	m.help(from, slot, b, e)
}

// help sends a member messages that it lacks, if it waits for this member's own messages or
// asks this member for decisions.
func (m *Machine) help(to int, slot uint64, b *Heartbeat, e *Effects) {
	asks := b.Ask == uint32(m.p.Self)+1
	waits := slices.Contains(b.Waiting, uint32(m.p.Self)) && (asks || m.now-m.monitor.since >= 2*m.p.Heartbeat)
	if !asks && !waits && !(slot == m.slot.number && m.lacksPrepare(to, b)) {
		return
	}
	h := m.monitor.help(m.now, to, asks, slot, b, m.slot.ballots.promised)
	if h == nil {
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
	case asks && slot < m.slot.number && slot+1 < m.slot.number: // invalid slot numbers may wrap around
		e.Serves = append(e.Serves, Serve{To: to, Slot: slot})
	}
	if len(e.Sends)+len(e.Serves) == sent {
		*h = help{} // nothing was sent, so the wait must not grow
	}
}

// lacksPrepare reports whether a member needs the Prepare of this member's ballot again. It does
// if it has not promised, or if its promise does not name all members that this one would leave
// out. It also does if its learner had not come when it promised, and it has not reported since
// that the learner will not come. The member may have been in an earlier slot when the Prepare
// came.
func (m *Machine) lacksPrepare(to int, b *Heartbeat) bool {
	s := m.slot
	if s.ballots.commit != nil || !s.ballots.prepares() || b.Promised > s.ballots.promised {
		return false
	}
	p, promised := s.ballots.promises[to]
	if !promised || !p.Joins && !(b.Behind && p.names(to)) {
		return true
	}
	promise := s.ballots.promises[m.p.Self]
	return slices.ContainsFunc(promise.Without, func(member uint32) bool { return !p.names(int(member)) })
}

// helpOn sends a member in the same slot the messages that it lacks.
func (m *Machine) helpOn(to int, b *Heartbeat, asks bool, e *Effects) {
	s := m.slot
	if s.ballots.commit != nil {
		if asks {
			m.helpOpen(s, to, b, e)
		}
		if b.State == Opening {
			m.post(s.ballots.commit.Value.Attempt, s.opener.again(to, b.Round), e)
		}
		return
	}
	if m.lacksPrepare(to, b) {
		m.send(e, to, s.ballots.promised, &Prepare{})
		return
	}
	if v := s.ballots.newest(); v != nil && b.Viewed < v.Ballot && asks {
		m.send(e, to, v.Ballot, v)
	}
	if f := s.ballots.finish; f != nil && asks && s.results.sealed[f.Finish.Attempt] != nil && b.State == Fetching {
		m.send(e, to, f.Finish.Attempt, &Seal{Sealed: s.results.sealed[f.Finish.Attempt]})
	}
	if v := s.ballots.working(); v != nil && v.amends() && asks && s.results.sealed[v.Ballot] != nil && b.State == Fetching && b.Promised == v.Ballot {
		m.send(e, to, v.Ballot, &Seal{Sealed: s.results.sealed[v.Ballot]})
	}
	if s.ballots.vote != nil {
		d := s.ballots.ownDone()
		m.send(e, to, s.ballots.vote.Ballot, &d)
	}
	m.again(to, b, e)
}

// again sends this member's own messages of the current attempt to a member that waits for
// them.
func (m *Machine) again(to int, b *Heartbeat, e *Effects) {
	s := m.slot
	a := s.attempts[s.ballots.promised]
	if a == nil || !a.here || b.Promised != s.ballots.promised || !a.view.has(to) {
		return
	}
	switch b.State {
	case Idle, Dealt:
		if slices.Contains(a.receivers(s.call.header.Kind), to) {
			m.send(e, to, s.ballots.promised, a.message(s.call, to))
		}
	case Session:
		m.post(s.ballots.promised, a.again(to, b.Round), e)
	case Sealing:
		if s.ballots.vote != nil && s.results.sealed[s.ballots.promised] != nil {
			m.send(e, to, s.ballots.promised, &Seal{Sealed: s.results.sealed[s.ballots.promised]})
		}
	}
}

// helpOpen sends a member the messages that open a decided slot.
func (m *Machine) helpOpen(s *slot, to int, b *Heartbeat, e *Effects) {
	attempt := s.ballots.commit.Value.Attempt
	send := func(body Body) {
		e.Sends = append(e.Sends, Send{To: to, Message: Message{Slot: s.number, Ballot: attempt, Body: body}})
	}
	send(&Commit{Certificate: s.ballots.commit})
	// A member that has voted has a result, nearly always this one.
	switch sealed := s.results.sealed[attempt]; {
	case sealed == nil || b.State == Opening || b.State == Voted:
	case sealed.onDisk():
		e.Serves = append(e.Serves, Serve{To: to, Slot: s.number, Ballot: attempt, Entry: EntrySealed + fmt.Sprint(attempt)})
	default:
		send(&Seal{Sealed: sealed})
	}
	for _, body := range s.opener.help(m.opening(s)) {
		send(body)
	}
}
