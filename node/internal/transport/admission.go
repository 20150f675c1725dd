package transport

import (
	"errors"
	"sync/atomic"
	"time"

	pubsub "github.com/libp2p/go-libp2p-pubsub"
	"github.com/libp2p/go-libp2p/core/connmgr"
	connection "github.com/libp2p/go-libp2p/core/control"
	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/multiformats/go-multiaddr"
)

// Admission says who may take part: those of a roster agreed on beforehand from
// the start, otherwise anybody until all members have signed.
//
// Strangers are not dialled and get nothing of the control plane. They may
// connect, since a hello is answered with the reason why they are not let in, and
// are disconnected after that.
type Admission struct {
	members atomic.Pointer[map[peer.ID]bool]
}

var _ connmgr.ConnectionGater = (*Admission)(nil)

// Limit lets nobody but the given peers take part.
func (a *Admission) Limit(members []peer.ID) {
	ids := make(map[peer.ID]bool, len(members))
	for _, id := range members {
		ids[id] = true
	}
	a.members.Store(&ids)
}

// Has reports whether a peer may take part.
func (a *Admission) Has(id peer.ID) bool {
	ids := a.members.Load()
	return ids == nil || (*ids)[id]
}

func (a *Admission) InterceptPeerDial(id peer.ID) bool { return a.Has(id) }

func (a *Admission) InterceptAddrDial(peer.ID, multiaddr.Multiaddr) bool { return true }

func (a *Admission) InterceptAccept(network.ConnMultiaddrs) bool { return true }

func (a *Admission) InterceptSecured(network.Direction, peer.ID, network.ConnMultiaddrs) bool {
	return true
}

func (a *Admission) InterceptUpgraded(network.Conn) (bool, connection.DisconnectReason) {
	return true, 0
}

// Contains makes gossipsub tell strangers nothing, and take nothing that is
// theirs: to it they are a blacklist.
func (a *Admission) Contains(id peer.ID) bool { return !a.Has(id) }

// Add is how gossipsub extends its blacklist, which has them already.
func (a *Admission) Add(peer.ID) bool { return true }

// options bind gossipsub to the members.
func (a *Admission) options() []pubsub.Option {
	return []pubsub.Option{
		pubsub.WithBlacklist(a),
		pubsub.WithPeerFilter(func(id peer.ID, _ string) bool { return a.Has(id) }),
		pubsub.WithAppSpecificRpcInspector(func(id peer.ID, _ *pubsub.RPC) error {
			if !a.Has(id) {
				return errUninvited
			}
			return nil
		}),
	}
}

var errUninvited = errors.New("no member of the run")

// strangerTimeout is how long a stranger may take to say hello and to read the answer.
const strangerTimeout = 10 * time.Second

// watch disconnects strangers that do not say hello in time.
func (a *Admission) watch(h host.Host) {
	h.Network().Notify(&network.NotifyBundle{ConnectedF: func(_ network.Network, c network.Conn) {
		time.AfterFunc(strangerTimeout, func() { a.Part(c) })
	}})
}

// Part disconnects a stranger.
func (a *Admission) Part(c network.Conn) {
	if !a.Has(c.RemotePeer()) {
		c.Close()
	}
}

// expel turns those away that have been listening before it was known that they
// are strangers.
func (a *Admission) expel(h host.Host, ps *pubsub.PubSub) {
	for _, c := range h.Network().Conns() {
		if id := c.RemotePeer(); !a.Has(id) {
			ps.BlacklistPeer(id)
			time.AfterFunc(strangerTimeout, func() { a.Part(c) })
		}
	}
}
