package rendezvous

import (
	"slices"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/peerstore"

	"github.com/collabdict/collabdict/internal/wire"
	"github.com/collabdict/collabdict/node/internal/membership"
)

// Without a list of members, more processes may come than the run has members. Each process
// keeps those with the smallest peer IDs, as many as the run has members. So all processes that
// have met the same others keep the same ones. A process changes its roster in the same order
// as the others, and back only to sign one that another process has signed. So one roster is
// signed by all its members. The other processes are sent an error that there are too many.

// checkRoom returns an error if there is no place for a peer. If the peer takes the place of
// another process, checkRoom drops that process.
func (m *registry) checkRoom(from peer.ID, h wire.Hello) error {
	who := membership.Describe(h.Name, from)
	if m.roster != nil {
		if e, _ := m.roster.Find(from); e.Process != h.Process {
			return &RosterError{Peer: who, Detail: "has restarted while the roster was being signed"}
		}
	}
	if m.records[from] != nil || len(m.records)+2 <= m.cfg.Size {
		return nil
	}
	err := &TooManyError{Want: m.cfg.Size, Found: append(m.known(), who)}
	out := m.surplus(from)
	if out == from {
		return err
	}
	h = m.records[out].hello
	delete(m.records, out)
	m.warn("apart "+out.String(), "a process loses its place to another", "peer", membership.Describe(h.Name, out), "reason", err)
	m.count(out, m.apartFrom(h, err))
	return nil
}

// surplus returns the peer that loses its place if one more comes: a disconnected peer if there
// is one, else the one with the largest ID.
func (m *registry) surplus(from peer.ID) peer.ID {
	var last peer.ID
	for id, a := range m.records {
		if a.unreachable {
			return id
		}
		last = max(last, id)
	}
	return max(last, from)
}

// offer saves a full roster, which hellos show to the others.
func (m *registry) offer(r *membership.Roster) {
	const most = 64
	if len(m.offered) >= most {
		clear(m.offered)
	}
	m.proposed = r.Run()
	m.offered[m.proposed] = r
}

// countersign signs the roster that another process has signed, since that process can sign no
// other. It could sign because this process and all others of the roster had announced it. The
// caller knows that the other has its place here, or the smaller ID. So nobody can have signed a
// roster that this process has announced since: either it has the other, which announces it no
// more, or the others of the roster would have given the place of this process away first.
func (m *registry) countersign(signed [32]byte) error {
	r := m.offered[signed]
	if r == nil || m.roster != nil || m.early() > 0 {
		return nil
	}
	for id := range m.records {
		if !r.Has(id) {
			delete(m.records, id)
		}
	}
	m.proposed = signed
	return m.sign(r)
}

// ttl returns how long the addresses of a peer are kept. They expire if the peer may be a
// stranger.
func (m *registry) ttl() time.Duration {
	if m.listed() || m.roster != nil {
		return peerstore.PermanentAddrTTL
	}
	return peerstore.TempAddrTTL
}

// configured reports whether the configuration of this process names a peer.
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
