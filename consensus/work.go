package consensus

import (
	"fmt"
	"maps"
	"slices"
)

// This file has a member's work in the attempt of its promised ballot.

// work makes one step in the current attempt, and reports whether one was possible.
func (m *Machine) work(e *Effects) bool {
	s := m.slot
	a := m.attempt(s.ballots.promised)
	if a == nil || a.settled || !a.view.has(m.p.Self) || s.ballots.voted() {
		return false
	}
	switch {
	case !a.secrets.dealt:
		if s.call == nil || s.entered >= int64(s.ballots.promised) {
			return false
		}
		m.deal(a, e)
	case !a.here:
		return false // an earlier process dealt, and its session is lost
	case s.call.header.Kind == Gather:
		if len(a.blobs) < len(a.view.Members) {
			return false
		}
		if m.compare(a, e) {
			m.end(a, &Sealed{Blobs: a.data()}, e)
		}
	case a.result != nil:
		return m.adoptSeal(a, e)
	case a.lanes == nil:
		if len(a.seeds) < a.seats().numDealers() {
			return false
		}
		if m.compare(a, e) {
			m.begin(a, e)
		}
	default:
		return m.average(a, e)
	}
	return true
}

// deal draws the secrets of an attempt, which happens once in a ballot, and sends the opening
// messages.
func (m *Machine) deal(a *attempt, e *Effects) {
	s := m.slot
	s.entered, s.dirty = int64(s.ballots.promised), true
	a.secrets.dealt, a.here = true, true
	m.monitor.step(m.now)
	if s.call.header.Kind == Gather {
		a.blobs[m.p.Self] = &Blob{Header: s.call.header, View: a.seats().digest, Data: s.call.blob}
	} else if err := a.draw(s.call, m.entropy); err != nil {
		m.fail(e, err)
		return
	}
	receivers := a.receivers(s.call.header.Kind)
	e.Sends = slices.Grow(e.Sends, len(receivers))
	for _, member := range receivers {
		m.send(e, member, s.ballots.promised, a.message(s.call, member))
	}
	if m.roster.Committee != nil {
		m.replayEarly(e)
	}
	// Check the messages that came before this member's call.
	for _, from := range slices.Sorted(maps.Keys(a.seeds)) {
		m.checkHeader(from, a, a.seeds[from].Header, a.seeds[from].View, e)
	}
	for _, from := range slices.Sorted(maps.Keys(a.blobs)) {
		m.checkHeader(from, a, a.blobs[from].Header, a.blobs[from].View, e)
	}
}

// receiveDeal takes Seeds or a Blob. They may come before this member's call, and before their
// view.
func (m *Machine) receiveDeal(from int, msg Message, e *Effects) {
	s := m.slot
	a := m.attempt(msg.Ballot)
	if a == nil || msg.Ballot > s.ballots.promised {
		if s.ballots.commit == nil && msg.Ballot >= s.ballots.promised {
			m.keepEarly(from, msg)
		}
		return
	}
	if msg.Ballot < s.ballots.promised || !a.view.has(from) || !a.view.has(m.p.Self) || a.lanes != nil || a.result != nil {
		return
	}
	switch b := msg.Body.(type) {
	case *Seeds:
		if a.seeds[from] == nil && m.checkHeader(from, a, b.Header, b.View, e) && m.honest(from, a.checkShare(from, b), e) {
			a.seeds[from] = b
		}
	case *Blob:
		if a.blobs[from] == nil && m.checkHeader(from, a, b.Header, b.View, e) {
			a.blobs[from] = b
		}
	}
}

// checkHeader ends the run if a member is about to compute something else. Before this member's
// call there is nothing to compare.
func (m *Machine) checkHeader(from int, a *attempt, h Header, view [32]byte, e *Effects) bool {
	return m.slot.call == nil || m.honest(from, a.checkHeader(m.slot.call.header, h, view), e)
}

// honest ends the run if there is a fault, and reports whether there is none.
func (m *Machine) honest(from int, fault string, e *Effects) bool {
	if fault != "" {
		m.fail(e, m.roster.memberError(from, fault))
	}
	return fault == ""
}

// begin starts the session. The others' shares and commitments are on disk before the first
// frame leaves.
func (m *Machine) begin(a *attempt, e *Effects) {
	m.slot.dirty = true
	out, early, err := a.begin(m.summand(m.slot.call, a.view.Members), m.entropy)
	if err != nil {
		m.fail(e, err)
		return
	}
	m.post(a.view.Ballot, out, e)
	m.monitor.step(m.now)
	for _, f := range early {
		m.receiveStep(f.from, Message{Ballot: a.view.Ballot, Body: f.step}, f.step, e)
	}
}

func (m *Machine) receiveStep(from int, msg Message, b *Step, e *Effects) {
	s := m.slot
	if m.roster.Committee != nil && int(b.Lane) >= m.p.lanes() {
		m.receiveOpening(from, msg, e)
		return
	}
	a := s.attempts[msg.Ballot]
	if a == nil || !a.secrets.dealt { // in a large roster, not all members wait for this one's deal
		if s.ballots.commit == nil && msg.Ballot >= s.ballots.promised {
			m.keepEarly(from, msg)
		}
		return
	}
	part, fault := a.receive(from, b, s.values())
	if m.honest(from, fault, e) && part {
		m.monitor.step(m.now)
	}
}

func (m *Machine) average(a *attempt, e *Effects) bool {
	out, step, words, err := a.average()
	m.post(a.view.Ballot, out, e)
	if step {
		m.monitor.step(m.now)
	}
	switch {
	case err != nil:
		m.fail(e, fmt.Errorf("sum: %w", err))
		return false
	case words == nil:
		return false
	}
	m.end(a, &Sealed{Blocks: m.slot.call.blocks, Words: words, Commits: a.commits()}, e)
	return true
}
