package consensus

// This file has a member's part in the ballots of a slot. It sends the messages and keeps the
// attempts in step with the ballots; ballot.go has the rules.

// judge proposes this member's next ballot if the current attempt has failed, a quorum agrees
// that it has, and it is this member's turn.
func (m *Machine) judge(e *Effects) {
	s, paused := m.slot, m.roster.paused
	if s.call == nil && !paused || s.ballots.commit != nil || s.abstains || !m.roster.decides(m.p.Self) {
		m.monitor.unstick()
		m.pressOpening(e)
		return
	}
	if left := m.monitor.abandoned(); left != nil && !paused {
		if a := s.attempts[s.ballots.promised]; a == nil || !a.here || m.compare(a, e) { // otherwise they probably left because of the parameters
			m.fail(e, m.roster.leftError(left, m.monitor.peer(m.now, left[0]).left))
		}
		return
	}
	if m.amendsNow() || m.invites() {
		m.propose(e)
		return
	}
	if s.ballots.unprepared() {
		m.prepare(e) // an earlier process stopped before it had made the view
	}
	if s.ballots.prepares() {
		m.formView(m.now-s.ballots.prepared > viewWait*m.p.Heartbeat, e)
	}
	if m.rests() {
		m.monitor.unstick()
		return
	}
	if m.monitor.judge(m.now, m.standing()) {
		m.propose(e)
	}
}

func (m *Machine) standing() *standing {
	s := m.slot
	a := s.attempts[s.ballots.promised]
	round := s.modelRound
	if s.call != nil {
		round = s.call.header.Round
	}
	return &standing{
		slot: s.number, state: m.State(), promised: s.ballots.promised, finishing: s.ballots.finishing(), working: s.ballots.working(),
		preset: s.preset, all: m.waitsForAll(), counted: m.countedEarly(), early: round <= StartRounds, began: s.began, decided: s.ballots.commit != nil, waiting: m.waiting(),
		stranded: a != nil && a.secrets.dealt && !a.here && s.ballots.vote == nil,
	}
}

// busy reports whether this member works in a session that makes progress.
func (m *Machine) busy() bool {
	a := m.slot.attempts[m.slot.ballots.promised]
	return a != nil && a.here && a.lanes != nil && a.result == nil && m.monitor.recent(m.now) && m.monitor.whyStuck(m.now, m.standing()) == ""
}

// invites reports whether this member has to let in members from outside the preset view, at
// the beginning of a round, before its session.
func (m *Machine) invites() bool {
	s := m.slot
	begun := s.ballots.promised != 0 || s.attempts[0] != nil && s.attempts[0].lanes != nil
	return !begun && m.newRound() && m.monitor.invites(m.now, s.number, s.preset)
}

func (m *Machine) propose(e *Effects) {
	m.promise(m.roster.next(m.roster.self, m.slot.ballots.promised))
	m.prepare(e)
}

// prepare asks for promises of the promised ballot, which this member owns.
func (m *Machine) prepare(e *Effects) {
	b := &m.slot.ballots
	b.prepare(m.now, m.ownPromise())
	m.tell(e, b.promised, &Prepare{})
}

// promise promises a ballot, which leaves all lower ballots and their attempts for good.
func (m *Machine) promise(ballot uint32) {
	s := m.slot
	m.monitor.noteStall(m.now, m.standing())
	s.ballots.promise(ballot)
	m.monitor.promises(m.now)
	for b, a := range s.attempts {
		if b < ballot {
			a.leave()
		}
	}
}

func (m *Machine) ownPromise() Promise {
	without := m.monitor.without(m.now, m.standing(), m.joins())
	return m.slot.ballots.ownPromise(m.joins(), without, m.requestedNow())
}

// joins reports whether this member's learner has come to the current slot.
func (m *Machine) joins() bool { return m.slot.call != nil || m.learner >= m.slot.number }

// receivePrepare promises a ballot to its owner, unless this member works in a session that
// makes progress.
func (m *Machine) receivePrepare(from int, ballot uint32, e *Effects) {
	b := &m.slot.ballots
	if m.slot.abstains || !b.mayPromise(from, ballot) {
		return
	}
	if ballot > b.promised {
		if m.busy() {
			m.send(e, from, ballot, &Busy{Working: b.promised})
			return
		}
		m.promise(ballot)
	}
	p := m.ownPromise()
	m.send(e, from, ballot, &p)
}

func (m *Machine) receivePromise(from int, ballot uint32, p *Promise, e *Effects) {
	if !m.slot.ballots.receivePromise(from, ballot, *p) {
		return
	}
	if p.Joins {
		m.monitor.joins(from)
	}
	m.formView(false, e)
}

// formView makes the view of this member's ballot once there are enough promises and no more
// are expected, or when the wait is over.
func (m *Machine) formView(over bool, e *Effects) {
	b := &m.slot.ballots
	if b.commit != nil || !b.prepares() || !over && m.promisesToCome() {
		return
	}
	b.promises[b.self] = m.ownPromise()
	v := b.draft(m.requestedNow())
	if v == nil || v.startsAnew() && !m.choose(v) {
		return
	}
	b.fix(v)
	m.tell(e, v.Ballot, v)
	m.adoptView(v, e)
}

// promisesToCome reports whether a member that is expected in the view has not promised yet.
func (m *Machine) promisesToCome() bool {
	b, w := &m.slot.ballots, &m.monitor
	for _, member := range w.watched {
		if _, promised := b.promises[member]; promised || !w.decides(member) || w.lost(m.now, member) {
			continue
		}
		if b.preset.has(member) || m.mayGrow() && w.comes(m.now, member, b.number, b.preset) {
			return true
		}
	}
	return false
}

// choose chooses the members of a NEW view. It reports whether they are enough and none is left
// out that the others hear.
func (m *Machine) choose(v *View) bool {
	all := m.divide(v)
	if len(v.Members) < m.roster.Least && m.monitor.pardon() {
		all = m.divide(v)
	}
	return all && len(v.Members) >= m.roster.Least
}

// divide fills in the members and missing members of this member's view, and reports whether
// the view can be made. A member that only this one would leave out is waited for, and then let
// in if possible. If not, no view is made, and another owner has to try. No view is made either
// without a member that the slot waits for.
func (m *Machine) divide(v *View) (all bool) {
	v.Members, v.Missing, all = nil, nil, true
	st, b := m.standing(), &m.slot.ballots
	waited := m.now-b.prepared > agreeWait*m.p.Heartbeat
	for i := range m.roster.Size {
		member := m.roster.rank(i)
		reason := m.whyOut(member, st)
		awaited := m.monitor.awaits(m.now, member, st)
		if reason != "" && (awaited || !b.mayLeaveOut(member, v.Promises)) {
			p, promised := b.promises[member]
			switch comes := promised && p.Joins || !m.roster.decides(member) && !awaited; {
			case !waited, awaited && m.monitor.silent(m.now, member):
				all = false
			case comes:
				reason = ""
			default:
				m.monitor.misses(member, v.Ballot)
				all = false
			}
		}
		if reason == "" {
			v.Members = append(v.Members, uint32(member))
		} else {
			v.Missing = append(v.Missing, Missing{uint32(member), reason})
		}
	}
	return all
}

// whyOut returns the reason why a member cannot be in the view of this member's ballot, or ""
// if it can.
func (m *Machine) whyOut(member int, st *standing) string {
	w := &m.monitor
	p, present := m.slot.ballots.promises[member]
	decides := w.decides(member)
	if !decides {
		present = w.follows(m.now, member, st.slot, st.preset)
	}
	switch {
	case !present:
		return w.whyAbsent(m.now, member, st.slot)
	case decides && !p.Joins:
		return "catching up"
	case !st.preset.has(member) && !m.mayGrow():
		return "comes in with the next round"
	case member == w.self || w.awaits(m.now, member, st):
		return ""
	case w.spared(m.now, member, st):
		return "slow"
	case w.excluded[member] || !st.preset.has(member) && w.cutOff(m.now, member, st.preset):
		return "its links hold the session up"
	}
	return ""
}

// newRound reports whether the current slot is the first of its round.
func (m *Machine) newRound() bool {
	c := m.slot.call
	return c != nil && (c.header.Round != m.slot.modelRound || m.slot.number == 0)
}

// mayGrow reports whether members from outside the preset view may come in. Within a round a view
// may shrink, but never grow, except in a slot that waits for all.
func (m *Machine) mayGrow() bool { return m.newRound() || m.waitsForAll() }

// receiveView takes a view, from its owner or from any member that has it.
func (m *Machine) receiveView(v *View, e *Effects) {
	b := &m.slot.ballots
	if b.commit == nil && v.Ballot > 0 && b.checkView(v, m.amendable(), m.least()) == nil {
		m.adoptView(v, e)
	}
}

// adoptView stores a view and acts on it.
func (m *Machine) adoptView(v *View, e *Effects) {
	b := &m.slot.ballots
	if !b.adopt(v) {
		return
	}
	if v.Finish == nil {
		m.monitor.step(m.now)
	}
	if m.roster.Committee != nil {
		if v.Ballot > b.promised { // members that do not vote follow the views
			m.promise(v.Ballot)
		}
		m.passOn(e, v.Ballot, v)
	}
	m.replayEarly(e)
}

// vote votes for a sealed result. Vote and result are on disk before the vote leaves. A member
// that does not vote only keeps the result.
func (m *Machine) vote(ballot uint32, sealed *Sealed, digest [32]byte, e *Effects) {
	s := m.slot
	s.results.keep(sealed, digest)
	m.monitor.step(m.now)
	if !m.roster.decides(m.roster.self) {
		s.attempts[ballot].settled = true
		return
	}
	done := s.ballots.cast(ballot, Value{Attempt: sealed.Attempt, Digest: digest})
	if c := s.ballots.tally(m.roster.self, ballot, done); c != nil {
		m.commit(c, e)
	}
	m.tell(e, ballot, &done)
}

// finishVote votes in a ballot that finishes an earlier attempt, if this member has the sealed
// result. Members outside the attempt may do so, too.
func (m *Machine) finishVote(v *View, e *Effects) bool {
	sealed := m.sealedOf(*v.Finish)
	if sealed == nil {
		return false
	}
	m.vote(v.Ballot, sealed, v.Finish.Digest, e)
	return true
}

func (m *Machine) receiveDone(from int, ballot uint32, d *Done, e *Effects) {
	b := &m.slot.ballots
	if m.unmask(castVote(b.number, from, ballot, *d), b.known(from), e) {
		return
	}
	c, fault := b.receiveDone(from, ballot, *d)
	switch {
	case c != nil:
		m.commit(c, e)
	case fault != "":
		m.accuse(from, ballot, d, fault, e)
	}
}

// receiveCommit takes a certificate from any member.
func (m *Machine) receiveCommit(c *Certificate, e *Effects) {
	b := &m.slot.ballots
	if !m.unmaskIn(c, e) && b.commit == nil && b.checkCertificate(b.position, c) {
		m.commit(c, e)
	}
}

// commit stores the decision and deletes the secrets of all other attempts, which must never be
// revealed.
func (m *Machine) commit(c *Certificate, e *Effects) {
	s := m.slot
	s.ballots.decide(c)
	m.monitor.step(m.now)
	for ballot := range s.attempts {
		if ballot != c.Value.Attempt {
			delete(s.attempts, ballot)
		}
	}
	s.results.decide(c.Value.Attempt)
	s.opener = newOpener(m.roster, s.position, m.plans, c.Value.Attempt, m.now, nil, nil)
	m.passOn(e, c.Value.Attempt, &Commit{Certificate: c})
	m.replayHints(e)
}
