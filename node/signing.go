package node

import (
	"bytes"
	"fmt"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/collabdict/collabdict/internal/wire"
)

// checkRoster reports a roster signed by a peer that this process cannot share.
func (m *meeting) checkRoster(from peer.ID, h wire.Hello) error {
	if h.Roster == nil {
		return nil
	}
	theirs, who := newRoster(m.consortium, h.Roster), describe(h.Name, from)
	if err := theirs.verify(from, h.Signature); err != nil {
		return &RosterError{Peer: who, Detail: "cannot be believed: " + err.Error()}
	}
	own, listed := theirs.find(m.host.ID())
	switch {
	case !listed:
		return &StrangerError{Peer: who, Detail: fmt.Sprintf("does not let this node in: the %d members of its run have signed the roster without it: wait for the end of that run, or start all members again", len(theirs.entries))}
	case own.Process != m.process:
		return &RosterError{Peer: who, Detail: "is in a run with an earlier process of this node, which this one cannot continue"}
	case m.roster != nil && !bytes.Equal(theirs.canonical(), m.roster.canonical()):
		return &RosterError{Peer: who, Detail: fmt.Sprintf("has signed another roster (%q, this node %q)", theirs.names(), m.roster.names())}
	}
	return nil
}

// proposal returns the roster of all that are met, or the one signed.
func (m *meeting) proposal() *roster {
	if m.roster != nil {
		return m.roster
	}
	entries := []wire.Entry{{Name: m.cfg.Name, ID: []byte(m.host.ID()), Process: m.process}}
	for id, a := range m.met {
		entries = append(entries, wire.Entry{Name: a.hello.Name, ID: []byte(id), Process: a.hello.Process})
	}
	return newRoster(m.consortium, entries)
}

// subscribe signs the roster as soon as all members have met the same ones, and
// ends the meeting when all their signatures are known.
func (m *meeting) subscribe() error {
	if m.roster == nil {
		r := m.proposal()
		if len(r.entries) < m.cfg.size() {
			return nil
		}
		if run := r.run(); m.proposed != run {
			m.proposed = run
			m.announce()
		}
		for _, a := range m.met {
			if a.hello.Proposal != m.proposed {
				return nil
			}
		}
		if err := m.sign(r); err != nil {
			return err
		}
	}
	for _, e := range m.roster.entries {
		id := peer.ID(e.ID)
		if id == m.host.ID() {
			continue
		}
		a := m.met[id]
		if a.hello.Roster == nil {
			return nil
		}
		if err := m.checkRoster(id, a.hello); err != nil {
			return err
		}
		a.signed = true
	}
	m.agreed = true
	close(m.complete)
	return nil
}

// sign signs a roster. That is on disk before anybody can hear of it.
func (m *meeting) sign(r *roster) error {
	if err := m.store.SignRoster(m.process, r.canonical()); err != nil {
		return err
	}
	signature, err := r.sign(m.key)
	if err != nil {
		return fmt.Errorf("sign the roster: %w", err)
	}
	m.roster, m.signature = r, signature
	m.announce()
	return nil
}

// present names the processes that are known, this one first.
func (m *meeting) present() []string {
	names := []string{describe(m.cfg.Name, m.host.ID())}
	for id, a := range m.met {
		names = append(names, describe(a.hello.Name, id))
	}
	return names
}
