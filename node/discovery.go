package node

import (
	"fmt"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/peerstore"
	"github.com/libp2p/go-libp2p/p2p/discovery/mdns"

	"github.com/collabdict/collabdict/internal/wire"
)

// discover looks for the other members by all ways configured, until the
// returned function is called.
func (g *greeter) discover() (stop func(), err error) {
	g.host.SetStreamHandler(helloProtocol, func(s network.Stream) {
		if !g.answers.run(func() { g.answer(s) }) {
			s.Reset()
		}
	})
	for _, m := range g.cfg.Members {
		info, err := m.addrInfo()
		if err != nil {
			return nil, err
		}
		g.found(info, false)
	}
	for _, a := range g.cfg.Peers {
		info, err := peer.AddrInfoFromString(a)
		if err != nil {
			return nil, err
		}
		g.found(*info, true)
	}
	if g.cfg.MDNS == "" {
		return func() {}, nil
	}
	service := mdns.NewMdnsService(g.host, "_"+g.cfg.MDNS+"._udp", notifee(func(info peer.AddrInfo) { g.found(info, false) }))
	if err := service.Start(); err != nil {
		return nil, fmt.Errorf("discovery on the local network: %w: list the members' addresses instead", err)
	}
	return func() { service.Close() }, nil
}

type notifee func(peer.AddrInfo)

func (f notifee) HandlePeerFound(info peer.AddrInfo) { f(info) }

// found begins to visit a peer, unless the roster does not list it.
func (g *greeter) found(info peer.AddrInfo, atOnce bool) {
	if g.joining.Err() != nil || !g.knows(info.ID) || info.ID == g.host.ID() {
		return
	}
	g.host.Peerstore().AddAddrs(info.ID, info.Addrs, peerstore.PermanentAddrTTL)
	g.visit(info.ID, atOnce)
}

// follow visits a peer that has said hello, and those it has met.
func (g *greeter) follow(from peer.ID, contacts []wire.Contact) {
	g.visit(from, true)
	for _, c := range contacts {
		if id, err := peer.IDFromBytes(c.ID); err == nil {
			g.found(peer.AddrInfo{ID: id, Addrs: multiaddrs(c.Addrs)}, false)
		}
	}
}
