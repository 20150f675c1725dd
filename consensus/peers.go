package consensus

import "slices"

// Members whom a member keeps track of: all others, or, where a committee decides
// and it is not of it, the committee.

// peer returns what is known of a member. What is noted of one that is not kept
// track of is forgotten.
func (m *Machine) peer(member int) *peer {
	if i := m.place(member); i >= 0 {
		return &m.peers[i]
	}
	return &peer{heard: m.now}
}

func (m *Machine) place(member int) int {
	if m.roster.Roster == nil && len(m.peers) == m.roster.Size && member < m.roster.Size {
		return member
	}
	if i, in := slices.BinarySearch(m.watched, member); in {
		return i
	}
	return -1
}

// watch begins to keep track of those who matter to this member.
func (m *Machine) watch() {
	m.watched = m.roster.Committee
	if m.watched == nil || m.roster.decides(m.p.Self) {
		m.watched = make([]int, m.roster.Size)
		for i := range m.watched {
			m.watched[i] = m.roster.rank(i)
		}
	}
	m.peers = make([]peer, len(m.watched))
}

// tell sends a message to all who decide: everybody, or the committee.
func (m *Machine) tell(e *Effects, ballot uint32, body Body) {
	if m.roster.Committee == nil {
		m.send(e, All, ballot, body)
		return
	}
	for _, s := range m.roster.Committee {
		if s != m.p.Self {
			m.send(e, s, ballot, body)
		}
	}
}

// passOn sends a message to those who look to this member of the committee for
// what has been decided.
func (m *Machine) passOn(e *Effects, ballot uint32, body Body) {
	place, in := slices.BinarySearch(m.roster.Committee, m.p.Self)
	if !in {
		return
	}
	for i := place; i < m.roster.Size; i += len(m.roster.Committee) {
		if s := m.roster.rank(i); !m.roster.decides(s) {
			m.send(e, s, ballot, body)
		}
	}
}
