package transport

import (
	"context"
	"time"

	"github.com/libp2p/go-libp2p/core/event"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/p2p/net/swarm"
)

// reconnect dials members whose connection is lost, until ctx ends. Without it, a member to
// which nothing is sent would stay silent.
func (s *streams) reconnect(ctx context.Context) {
	sub, err := s.host.EventBus().Subscribe(&event.EvtPeerConnectednessChanged{})
	if err != nil {
		s.log.Error("cannot watch for lost connections", "error", err)
		return
	}
	defer sub.Close()
	for {
		select {
		case <-ctx.Done():
			return
		case e, ok := <-sub.Out():
			if !ok {
				return
			}
			change := e.(event.EvtPeerConnectednessChanged)
			rank, member := s.peers.Load().ranks[change.Peer]
			if !member || change.Connectedness != network.NotConnected {
				continue
			}
			if l := s.peers.lane(rank); l != nil && l.dialling.CompareAndSwap(false, true) {
				s.tasks.Start(func() {
					defer l.dialling.Store(false)
					s.redial(ctx, change.Peer)
				})
			}
		}
	}
}

func (s *streams) redial(ctx context.Context, id peer.ID) {
	const first, most = 100 * time.Millisecond, 5 * time.Second
	for wait := first; s.peers.has(id) && s.host.Network().Connectedness(id) != network.Connected; wait = min(2*wait, most) {
		dial, cancel := context.WithTimeout(ctx, openTimeout)
		s.clearBackoff(id)
		err := s.host.Connect(dial, peer.AddrInfo{ID: id})
		cancel()
		if err == nil {
			return
		}
		if p := s.peers.Load(); ctx.Err() == nil {
			if rank, member := p.ranks[id]; member {
				s.failures.failed(time.Now(), id, p.names[rank], err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}

// clearBackoff lets a peer be dialled at once, since outboxes and redialling set their own
// pace.
func (s *streams) clearBackoff(id peer.ID) {
	if n, ok := s.host.Network().(*swarm.Swarm); ok {
		n.Backoff().Clear(id)
	}
}
