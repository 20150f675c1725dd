package consensus

import (
	"fmt"
)

// request notes which amendment this member wants, and tells the others.
func (m *Machine) request(a *Amendment, e *Effects) {
	if m.err != nil {
		return
	}
	m.amendment = nil
	if a != nil && m.CheckRequest(a) == nil {
		m.amendment, m.amends = a, a.digest()
	}
	m.sendHeartbeat(All, e)
	m.judge(e)
}

// CheckRequest returns why an amendment cannot be requested now, nil if it can.
func (m *Machine) CheckRequest(a *Amendment) error {
	if _, err := m.p.Amend(a); err != nil {
		return err
	}
	// Those who stay of a large roster's committee must be able to finish it without
	// those who go.
	left := len(m.roster.Committee)
	for _, r := range a.Removed {
		if m.roster.decides(int(r)) {
			left--
		}
	}
	if most := len(m.roster.Committee) - m.roster.Quorum; m.roster.Committee != nil && left < m.roster.Quorum {
		return fmt.Errorf("removed members: want at most %d of the %d of the committee at a time, since the others must be a quorum, got %d",
			most, len(m.roster.Committee), len(m.roster.Committee)-left)
	}
	return nil
}

// Wanted is an amendment that members want next.
type Wanted struct {
	Amends  [32]byte // its digest
	Members []uint32 // in rank order
}

// requested returns the digest of the amendment that this member wants, zero if it
// wants none.
func (m *Machine) requested() [32]byte {
	if m.amendment == nil {
		return [32]byte{}
	}
	return m.amends
}

// requestedNow returns the same where the roster may be changed in the slot under way.
func (m *Machine) requestedNow() [32]byte {
	if !m.betweenRounds() {
		return [32]byte{}
	}
	return m.requested()
}

// betweenRounds reports whether the roster may be changed in the slot under way, as far
// as this member knows. Who has not called yet leaves that to those who have.
func (m *Machine) betweenRounds() bool {
	c := m.slot.call
	return c == nil || c.header.Round > 0 && c.header.Round != m.slot.round
}

// amendsNow reports whether this member is to propose the amendment: at the beginning
// of a round, as the lowest rank of those who want it and have come there, if a quorum
// wants it.
func (m *Machine) amendsNow() bool {
	if m.amendment == nil || m.slot.call == nil || !m.betweenRounds() || !m.unbegun() {
		return false
	}
	agree, lower := m.monitor.supports(m.now, m.amends)
	return agree >= m.roster.Quorum && !lower
}

// unbegun reports whether nothing is under way in the slot that an amendment would break
// off: no session of the preset view, or for a while no view of the ballot promised,
// as in a run that is paused.
func (m *Machine) unbegun() bool {
	s := m.slot
	if s.ballots.promised == 0 {
		return s.attempts[0] == nil || s.attempts[0].lanes == nil
	}
	return s.ballots.finishing() == nil && s.ballots.working() == nil && m.now-m.monitor.since > 2*viewWait*m.p.Heartbeat
}
