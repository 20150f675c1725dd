package rendezvous

import (
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/collabdict/collabdict/node/internal/membership"
)

// watchRecords notes members that are met and lost again before they have signed, which
// the rendezvous waits for, until the returned function is called.
func (r *Rendezvous) watchRecords() (stop func()) {
	b := &network.NotifyBundle{DisconnectedF: func(_ network.Network, c network.Conn) { r.lose(c.RemotePeer()) }}
	r.cfg.Host.Network().Notify(b)
	return func() { r.cfg.Host.Network().StopNotify(b) }
}

// lose notes that a peer cannot be reached any more. Its next hello brings it back.
func (m *registry) lose(id peer.ID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	a := m.records[id]
	over := m.agreed || m.failure != nil
	if over || a == nil || a.unreachable || a.signed != [32]byte{} || m.cfg.Host.Network().Connectedness(id) == network.Connected {
		return
	}
	a.unreachable = true
	m.cfg.Log.Info("a member is reached no more", "name", a.hello.Name, "peer", id)
	m.report()
}

// known names the processes that have said hello, this one first.
func (m *registry) known() []string {
	names := []string{membership.Describe(m.cfg.Name, m.cfg.Host.ID())}
	for id, a := range m.records {
		names = append(names, membership.Describe(a.hello.Name, id))
	}
	return names
}

// present names those of the known processes that can be reached, this one first.
func (m *registry) present() []string {
	names := []string{membership.Describe(m.cfg.Name, m.cfg.Host.ID())}
	for id, a := range m.records {
		if !a.unreachable {
			names = append(names, membership.Describe(a.hello.Name, id))
		}
	}
	return names
}

// missing names the members that are waited for, as far as they are known: those of a
// roster known beforehand that are not met, and those that are reached no more.
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

// nameOf returns what the list of members or its own hello calls a peer, "" if neither does.
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
