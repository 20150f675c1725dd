package rendezvous

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/peerstore"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/wire"
	"github.com/collabdict/collabdict/node/internal/membership"
)

// checkRoster returns an error if a peer has signed a roster that this process cannot share.
// Otherwise it returns the run whose roster the peer has signed, if any.
func (m *registry) checkRoster(from peer.ID, h wire.Hello) (run [32]byte, err error) {
	if h.Roster == nil {
		return run, nil
	}
	theirs, who := membership.NewRoster(m.consortium, h.Roster), membership.Describe(h.Name, from)
	if err := theirs.Verify(from, h.Signature); err != nil || !theirs.Has(from) {
		if err == nil {
			err = errors.New("it is not in the roster that it has signed")
		}
		return run, &RosterError{Peer: who, Detail: "has sent an invalid roster: " + err.Error()}
	}
	run = theirs.Run()
	own, listed := theirs.Find(m.cfg.Host.ID())
	switch {
	case !listed:
		return run, &StrangerError{Peer: who, Detail: fmt.Sprintf("does not let this node in: the %d members of its run have signed the roster without it: wait for the end of that run, or start all members again", len(theirs.Entries))}
	case removes(h.Amendments, theirs, m.cfg.Host.ID()):
		return run, &StrangerError{Peer: who, Detail: WasRemoved}
	case own.Process != m.process:
		return run, &RosterError{Peer: who, Detail: "is in a run with an earlier process of this node: start this node in the folder of that process, since it needs its state"}
	}
	return run, m.checkShared(who, theirs.Names(), run)
}

// removes reports whether one of a run's amendments removes a founder.
func removes(amendments [][]byte, founders *membership.Roster, id peer.ID) bool {
	rank := slices.IndexFunc(founders.Entries, func(e wire.Entry) bool { return bytes.Equal(e.ID, []byte(id)) })
	return slices.ContainsFunc(amendments, func(b []byte) bool {
		a, err := consensus.DecodeAmendment(b)
		return err == nil && slices.Contains(a.Removed, uint32(rank))
	})
}

// checkShared returns an error if a signed roster differs from the one that this process has
// signed.
func (m *registry) checkShared(who string, names []string, run [32]byte) error {
	if m.roster == nil || run == m.proposed {
		return nil
	}
	return &RosterError{Peer: who, Detail: fmt.Sprintf("has signed another roster (%q, this node %q)", names, m.roster.Names())}
}

// proposal returns the signed roster, or else the roster of all processes met.
func (m *registry) proposal() *membership.Roster {
	if m.roster != nil {
		return m.roster
	}
	entries := []wire.Entry{{Name: m.cfg.Name, ID: []byte(m.cfg.Host.ID()), Process: m.process}}
	for id, a := range m.records {
		entries = append(entries, wire.Entry{Name: a.hello.Name, ID: []byte(id), Process: a.hello.Process})
	}
	return membership.NewRoster(m.consortium, entries)
}

// subscribe signs the roster once all members have met the same processes. It ends the
// rendezvous when it has the signatures of all.
func (m *registry) subscribe() error {
	if m.roster == nil {
		r := m.proposal()
		if len(r.Entries) < m.cfg.Size {
			return nil
		}
		if run := r.Run(); m.proposed != run {
			m.offer(r)
			m.announce()
		}
		for _, e := range r.Entries {
			a := m.records[peer.ID(e.ID)]
			if other := peer.ID(e.ID) != m.cfg.Host.ID(); other && (a == nil || a.hello.Proposal != m.proposed) {
				return nil
			}
		}
		if m.early() > 0 {
			return nil // visits and hellos continue
		}
		if err := m.sign(r); err != nil {
			return err
		}
	}
	for _, e := range m.roster.Entries {
		a := m.records[peer.ID(e.ID)]
		switch {
		case peer.ID(e.ID) == m.cfg.Host.ID():
		case a == nil || a.signed == [32]byte{}:
			return nil
		case a.signed != m.proposed:
			return m.checkShared(membership.Describe(e.Name, peer.ID(e.ID)), membership.NewRoster(m.consortium, a.hello.Roster).Names(), a.signed)
		}
	}
	m.agreed = true
	close(m.complete)
	return nil
}

// early returns the time left until a new run may begin.
func (m *registry) early() time.Duration {
	if m.cfg.Early == nil {
		return 0
	}
	return m.cfg.Early()
}

// sign signs a roster. It saves the roster before anybody can receive the signature.
func (m *registry) sign(r *membership.Roster) error {
	if err := m.cfg.Store.SignRoster(m.process, r.Canonical()); err != nil {
		return err
	}
	signature, err := r.Sign(m.cfg.Key)
	if err != nil {
		return fmt.Errorf("sign the roster: %w", err)
	}
	m.roster, m.signature = r, signature
	for id, a := range m.records {
		m.cfg.Host.Peerstore().AddAddrs(id, membership.Multiaddrs(a.hello.Addrs), peerstore.PermanentAddrTTL)
	}
	m.announce()
	return nil
}
