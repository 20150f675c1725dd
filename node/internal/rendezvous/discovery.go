package rendezvous

import (
	"fmt"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/peerstore"
	"github.com/libp2p/go-libp2p/p2p/discovery/mdns"

	"github.com/collabdict/collabdict/internal/wire"
	"github.com/collabdict/collabdict/node/internal/membership"
)

// discover searches for the other members in all configured ways.
func (r *Rendezvous) discover() error {
	r.cfg.Host.SetStreamHandler(HelloProtocol, func(s network.Stream) {
		if !r.answers.Run(func() { r.answer(s) }) {
			s.Reset()
		}
	})
	for _, m := range r.cfg.Members {
		info, err := m.AddrInfo()
		if err != nil {
			return err
		}
		r.found(info, false)
	}
	for _, a := range r.cfg.Peers {
		info, err := peer.AddrInfoFromString(a)
		if err != nil {
			return err
		}
		r.found(*info, true)
	}
	if r.cfg.MDNS == "" {
		return nil
	}
	service := mdns.NewMdnsService(r.cfg.Host, "_"+r.cfg.MDNS+"._udp", notifee(func(info peer.AddrInfo) { r.found(info, false) }))
	if err := service.Start(); err != nil {
		return fmt.Errorf("search on the local network: %w: list the members' addresses instead", err)
	}
	r.stop = sync.OnceFunc(func() { service.Close() })
	return nil
}

type notifee func(peer.AddrInfo)

func (f notifee) HandlePeerFound(info peer.AddrInfo) { f(info) }

// found begins to visit a peer, unless the roster does not list it.
func (r *Rendezvous) found(info peer.AddrInfo, atOnce bool) {
	if r.joining.Err() != nil || !r.knows(info.ID) || info.ID == r.cfg.Host.ID() {
		return
	}
	ttl := time.Duration(peerstore.PermanentAddrTTL)
	if !r.configured(info.ID) {
		ttl = visitVain * (helloTimeout + visitMost)
	}
	r.cfg.Host.Peerstore().AddAddrs(info.ID, info.Addrs, ttl)
	r.visit(info.ID, atOnce)
}

// follow visits a peer that has said hello, and the peers that it has met.
func (r *Rendezvous) follow(from peer.ID, contacts []wire.Contact) {
	r.visit(from, true)
	for _, c := range contacts {
		if id, err := peer.IDFromBytes(c.ID); err == nil {
			r.found(peer.AddrInfo{ID: id, Addrs: membership.Multiaddrs(c.Addrs)}, false)
		}
	}
}
