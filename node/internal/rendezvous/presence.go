package rendezvous

import (
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/collabdict/collabdict/node/internal/membership"
)

// watchRecords records members that disconnect before they have signed, until the returned
// function is called. The rendezvous waits for these members.
func (r *Rendezvous) watchRecords() (stop func()) {
	b := &network.NotifyBundle{DisconnectedF: func(_ network.Network, c network.Conn) { r.lose(c.RemotePeer()) }}
	r.cfg.Host.Network().Notify(b)
	return func() { r.cfg.Host.Network().StopNotify(b) }
}

// lose records that a peer is no longer connected. Its next hello brings it back.
func (m *registry) lose(id peer.ID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	a := m.records[id]
	over := m.agreed || m.failure != nil
	if over || a == nil || a.unreachable || a.signed != [32]byte{} || m.cfg.Host.Network().Connectedness(id) == network.Connected {
		return
	}
	a.unreachable = true
	m.cfg.Log.Info("a member has disconnected before it signed", "name", a.hello.Name, "peer", id)
	m.report()
}

// known returns the names of the processes that have said hello, this one first.
func (m *registry) known() []string {
	names := []string{membership.Describe(m.cfg.Name, m.cfg.Host.ID())}
	for id, a := range m.records {
		names = append(names, membership.Describe(a.hello.Name, id))
	}
	return names
}

// present returns the names of the known processes that are connected, this one first.
func (m *registry) present() []string {
	names := []string{membership.Describe(m.cfg.Name, m.cfg.Host.ID())}
	for id, a := range m.records {
		if !a.unreachable {
			names = append(names, membership.Describe(a.hello.Name, id))
		}
	}
	return names
}

// missing returns the names of the missing members as far as they are known: listed members not
// met, and members that have disconnected.
func (m *registry) missing() (names []string) {
	list := m.cfg.Members
	switch {
	case m.current != nil:
		list = m.current.Load().Active()
	case m.newcomer != nil:
		list = m.newcomer.active()
	}
	for _, o := range list {
		if o.ID != m.cfg.Host.ID() && m.records[o.ID] == nil {
			names = append(names, membership.Describe(o.Name, o.ID))
		}
	}
	for id, a := range m.records {
		if a.unreachable {
			names = append(names, membership.Describe(a.hello.Name, id))
		}
	}
	return names
}

// nameOf returns a peer's name from the list of members or from its hello, or "" if neither has
// it.
func (m *registry) nameOf(id peer.ID) string {
	list := m.cfg.Members
	if m.current != nil {
		list = m.current.Load().All
	}
	for _, o := range list {
		if o.ID == id {
			return o.Name
		}
	}
	if a := m.records[id]; a != nil {
		return a.hello.Name
	}
	return ""
}
