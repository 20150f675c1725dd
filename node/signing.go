package node

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/wire"
)

// checkRoster reports a roster signed by a peer that this process cannot share.
// Otherwise it returns the run that the peer has signed up to, if any.
func (m *meeting) checkRoster(from peer.ID, h wire.Hello) (run [32]byte, err error) {
	if h.Roster == nil {
		return run, nil
	}
	theirs, who := newRoster(m.consortium, h.Roster), describe(h.Name, from)
	if err := theirs.verify(from, h.Signature); err != nil {
		return run, &RosterError{Peer: who, Detail: "cannot be believed: " + err.Error()}
	}
	run = theirs.run()
	own, listed := theirs.find(m.host.ID())
	switch {
	case !listed:
		return run, &StrangerError{Peer: who, Detail: fmt.Sprintf("does not let this node in: the %d members of its run have signed the roster without it: wait for the end of that run, or start all members again", len(theirs.entries))}
	case removes(h.Amendments, theirs, m.host.ID()):
		return run, &StrangerError{Peer: who, Detail: wasRemoved}
	case own.Process != m.process:
		return run, &RosterError{Peer: who, Detail: "is in a run with an earlier process of this node: start this one in the folder of that, whose state it needs"}
	}
	return run, m.checkShared(who, theirs.names(), run)
}

// removes says whether one of a run's amendments removes a member that it has begun
// with.
func removes(amendments [][]byte, founders *roster, id peer.ID) bool {
	rank := slices.IndexFunc(founders.entries, func(e wire.Entry) bool { return bytes.Equal(e.ID, []byte(id)) })
	return slices.ContainsFunc(amendments, func(b []byte) bool {
		a, err := consensus.DecodeAmendment(b)
		return err == nil && slices.Contains(a.Removed, uint32(rank))
	})
}

// checkShared reports a signed roster that is not the one this process signed.
func (m *meeting) checkShared(who string, names []string, run [32]byte) error {
	if m.roster == nil || run == m.proposed {
		return nil
	}
	return &RosterError{Peer: who, Detail: fmt.Sprintf("has signed another roster (%q, this node %q)", names, m.roster.names())}
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
		a := m.met[peer.ID(e.ID)]
		switch {
		case a == nil: // this process
		case a.signed == [32]byte{}:
			return nil
		case a.signed != m.proposed:
			return m.checkShared(describe(e.Name, peer.ID(e.ID)), newRoster(m.consortium, a.hello.Roster).names(), a.signed)
		}
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
