package node

import (
	"errors"
	"sync/atomic"
	"time"

	pubsub "github.com/libp2p/go-libp2p-pubsub"
	"github.com/libp2p/go-libp2p/core/connmgr"
	"github.com/libp2p/go-libp2p/core/control"
	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/multiformats/go-multiaddr"
)

// admission says who may take part: those of a roster agreed on beforehand from
// the start, otherwise anybody until all members have signed.
//
// Strangers are not dialled and get nothing of the control plane. They may
// connect, since a hello is answered with the reason why they are not let in, and
// are disconnected after that.
type admission struct {
	members atomic.Pointer[map[peer.ID]bool]
}

var _ connmgr.ConnectionGater = (*admission)(nil)

func (a *admission) limit(members []Member) {
	ids := make(map[peer.ID]bool, len(members))
	for _, m := range members {
		ids[m.ID] = true
	}
	a.members.Store(&ids)
}

func (a *admission) has(id peer.ID) bool {
	ids := a.members.Load()
	return ids == nil || (*ids)[id]
}

func (a *admission) InterceptPeerDial(id peer.ID) bool { return a.has(id) }

func (a *admission) InterceptAddrDial(peer.ID, multiaddr.Multiaddr) bool { return true }

func (a *admission) InterceptAccept(network.ConnMultiaddrs) bool { return true }

func (a *admission) InterceptSecured(network.Direction, peer.ID, network.ConnMultiaddrs) bool {
	return true
}

func (a *admission) InterceptUpgraded(network.Conn) (bool, control.DisconnectReason) {
	return true, 0
}

// Contains makes gossipsub tell strangers nothing, and take nothing that is
// theirs: to it they are a blacklist.
func (a *admission) Contains(id peer.ID) bool { return !a.has(id) }

// Add is how gossipsub extends its blacklist, which has them already.
func (a *admission) Add(peer.ID) bool { return true }

// options bind gossipsub to the members.
func (a *admission) options() []pubsub.Option {
	return []pubsub.Option{
		pubsub.WithBlacklist(a),
		pubsub.WithPeerFilter(func(id peer.ID, _ string) bool { return a.has(id) }),
		pubsub.WithAppSpecificRpcInspector(func(id peer.ID, _ *pubsub.RPC) error {
			if !a.has(id) {
				return errUninvited
			}
			return nil
		}),
	}
}

var errUninvited = errors.New("no member of the run")

// watch disconnects strangers that do not say hello in time.
func (a *admission) watch(h host.Host) {
	h.Network().Notify(&network.NotifyBundle{ConnectedF: func(_ network.Network, c network.Conn) {
		time.AfterFunc(helloTimeout, func() { a.part(c) })
	}})
}

// part disconnects a stranger.
func (a *admission) part(c network.Conn) {
	if !a.has(c.RemotePeer()) {
		c.Close()
	}
}

// expel turns those away that have been listening before it was known that they
// are strangers.
func (a *admission) expel(h host.Host, ps *pubsub.PubSub) {
	for _, c := range h.Network().Conns() {
		if id := c.RemotePeer(); !a.has(id) {
			ps.BlacklistPeer(id)
			time.AfterFunc(helloTimeout, func() { a.part(c) })
		}
	}
}
