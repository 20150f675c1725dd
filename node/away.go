package node

import (
	"fmt"
	"strings"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
)

// watchMet notes members that are met and lost again before they have signed, which
// the meeting waits for, until the returned function is called.
func (g *greeter) watchMet() (stop func()) {
	b := &network.NotifyBundle{DisconnectedF: func(_ network.Network, c network.Conn) { g.lose(c.RemotePeer()) }}
	g.host.Network().Notify(b)
	return func() { g.host.Network().StopNotify(b) }
}

// lose notes that a peer is reached no more. Its next hello brings it back.
func (m *meeting) lose(id peer.ID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	a := m.met[id]
	over := m.agreed || m.failure != nil
	if over || a == nil || a.away || a.signed != [32]byte{} || m.host.Network().Connectedness(id) == network.Connected {
		return
	}
	a.away = true
	m.log.Info("a member is reached no more", "name", a.hello.Name, "peer", id)
	m.report()
}

// known names the processes that have said hello, this one first.
func (m *meeting) known() []string {
	names := []string{describe(m.cfg.Name, m.host.ID())}
	for id, a := range m.met {
		names = append(names, describe(a.hello.Name, id))
	}
	return names
}

// present names those of the known processes that can be reached, this one first.
func (m *meeting) present() []string {
	names := []string{describe(m.cfg.Name, m.host.ID())}
	for id, a := range m.met {
		if !a.away {
			names = append(names, describe(a.hello.Name, id))
		}
	}
	return names
}

// missing names the members that are waited for, as far as they are known: those of a
// roster known beforehand that are not met, and those that are reached no more.
func (m *meeting) missing() (names []string) {
	list := m.cfg.Members
	switch {
	case m.roll != nil:
		list = m.roll.Load().active()
	case m.newcomer != nil:
		list = m.newcomer.active()
	}
	for _, o := range list {
		if o.ID != m.host.ID() && m.met[o.ID] == nil {
			names = append(names, describe(o.Name, o.ID))
		}
	}
	for id, a := range m.met {
		if a.away {
			names = append(names, describe(a.hello.Name, id))
		}
	}
	return names
}

// listMissing names those who are missing, and counts those whose names are not known.
func listMissing(want, present int, missing []string) string {
	list := strings.Join(missing, ", ")
	unknown := want - present - len(missing)
	switch {
	case unknown <= 0:
		return list
	case list != "":
		list += " and "
	}
	return list + fmt.Sprintf("%d unknown", unknown)
}
