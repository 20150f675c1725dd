package rendezvous

import (
	"slices"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/peerstore"

	"github.com/collabdict/collabdict/internal/wire"
	"github.com/collabdict/collabdict/node/internal/membership"
)

// Without a list there may come more processes than the run has members. Each keeps as
// many others as there are to be, and all keep the same ones once they have met the same
// ones: those with the smallest peer IDs. So a process that has met the others moves from
// one roster to the next in the same order as they do, and never back, and at least one
// roster is signed by all. The others are told that there are too many.

// checkRoom reports a peer that there is no place for, and makes place for one that there
// is.
func (m *registry) checkRoom(from peer.ID, h wire.Hello) error {
	who := membership.Describe(h.Name, from)
	a := m.records[from]
	if a != nil && m.roster != nil && a.hello.Process != h.Process {
		return &RosterError{Peer: who, Detail: "was started again while the roster was being signed"}
	}
	if a != nil || len(m.records)+2 <= m.cfg.Size && (m.chosen == nil || m.chosen.Has(from)) {
		return nil
	}
	err := &TooManyError{Want: m.cfg.Size, Found: append(m.known(), who)}
	out := m.surplus(from)
	if out == from {
		return err
	}
	h = m.records[out].hello
	m.drop(out)
	m.warn("apart "+out.String(), "a process gives its place to another", "peer", membership.Describe(h.Name, out), "reason", err)
	m.count(out, m.apartFrom(h, err))
	return nil
}

// surplus returns who has no place if one more comes: one that cannot be reached before
// all others.
func (m *registry) surplus(from peer.ID) peer.ID {
	if m.chosen != nil && !m.chosen.Has(from) {
		return from
	}
	var last peer.ID
	for id, a := range m.records {
		if a.unreachable {
			return id
		}
		last = max(last, id)
	}
	return max(last, from)
}

// drop forgets a process that was met. What it has signed binds nobody.
func (m *registry) drop(id peer.ID) {
	delete(m.records, id)
	if m.chosen != nil && m.chosen.Has(id) {
		m.chosen = nil
	}
}

// offer notes a full roster, which hellos show to the others.
func (m *registry) offer(r *membership.Roster) {
	const most = 64
	if len(m.offered) >= most {
		clear(m.offered)
	}
	m.proposed = r.Run()
	m.offered[m.proposed] = r
}

// choose takes up the roster that another process has signed. It could do so because this
// one had announced it, and has no other choice any more.
func (m *registry) choose(signed [32]byte) {
	r := m.offered[signed]
	if r == nil || m.roster != nil || m.chosen != nil {
		return
	}
	m.chosen = r
	for id := range m.records {
		if !r.Has(id) {
			delete(m.records, id)
		}
	}
}

// ttl returns for how long the address of a peer is kept that may be a stranger.
func (m *registry) ttl() time.Duration {
	if m.listed() || m.roster != nil {
		return peerstore.PermanentAddrTTL
	}
	return peerstore.TempAddrTTL
}

// configured reports whether the own configuration of this process names a peer.
func (m *registry) configured(id peer.ID) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.listed() || m.newcomer != nil {
		return true
	}
	return slices.ContainsFunc(m.cfg.Peers, func(a string) bool {
		info, err := peer.AddrInfoFromString(a)
		return err == nil && info.ID == id
	})
}
