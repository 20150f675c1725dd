package transport

import (
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	pubsub "github.com/libp2p/go-libp2p-pubsub"
	"github.com/libp2p/go-libp2p/core/connmgr"
	connection "github.com/libp2p/go-libp2p/core/control"
	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/multiformats/go-multiaddr"
	"google.golang.org/protobuf/proto"
)

// Admission says who may take part: those of a roster agreed on beforehand from
// the start, otherwise anybody until all members have signed.
//
// Strangers are not dialled and get nothing of the control plane. A few of them at a
// time may connect, since a hello is answered with the reason why they are not let in, and
// are disconnected after that. All others are cut off as soon as the handshake has told
// who they are, before they can open a stream.
type Admission struct {
	members atomic.Pointer[map[peer.ID]bool]
	near    *addresses // where members have connected from
	knocks  *knocks

	mu      sync.Mutex
	network network.Network // from watch on
	looked  time.Time       // when complete was last found out
	all     bool
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

// listed reports whether a peer is known to take part.
func (a *Admission) listed(id peer.ID) bool {
	ids := a.members.Load()
	return ids != nil && (*ids)[id]
}

// list returns the peers that are known to take part.
func (a *Admission) list() []peer.ID {
	ids := a.members.Load()
	if ids == nil {
		return nil
	}
	return slices.Collect(maps.Keys(*ids))
}

// complete reports whether all members are connected, as it was at most a second ago.
func (a *Admission) complete() bool {
	ids := a.members.Load()
	a.mu.Lock()
	defer a.mu.Unlock()
	if ids == nil || a.network == nil {
		return false
	}
	if time.Since(a.looked) > time.Second {
		a.looked, a.all = time.Now(), true
		for id := range *ids {
			if id != a.network.LocalPeer() && a.network.Connectedness(id) != network.Connected {
				a.all = false
				break
			}
		}
	}
	return a.all
}

func (a *Admission) InterceptPeerDial(id peer.ID) bool { return a.Has(id) }

func (a *Admission) InterceptAddrDial(peer.ID, multiaddr.Multiaddr) bool { return true }

// InterceptAccept takes nothing that anyone but a member passes on.
func (a *Admission) InterceptAccept(c network.ConnMultiaddrs) bool {
	at := c.RemoteMultiaddr()
	return !relayed(at) || a.listed(relayOf(at))
}

func (a *Admission) InterceptSecured(_ network.Direction, id peer.ID, c network.ConnMultiaddrs) bool {
	return a.Has(id) || a.knocks.room() && a.knocks.rate.Allow(addressOf(c.RemoteMultiaddr()))
}

func (a *Admission) InterceptUpgraded(c network.Conn) (bool, connection.DisconnectReason) {
	return a.Has(c.RemotePeer()) || a.knocks.enter(c), 0
}

// Contains makes gossipsub tell strangers nothing, and take nothing that is
// theirs: to it they are a blacklist.
func (a *Admission) Contains(id peer.ID) bool { return !a.Has(id) }

// Add is how gossipsub extends its blacklist, which has them already.
func (a *Admission) Add(peer.ID) bool { return true }

// options bind gossipsub to the members, and each of them to its share.
func (a *Admission) options(s *shares) []pubsub.Option {
	return []pubsub.Option{
		pubsub.WithBlacklist(a),
		pubsub.WithPeerFilter(func(id peer.ID, _ string) bool { return a.Has(id) }),
		pubsub.WithAppSpecificRpcInspector(func(id peer.ID, rpc *pubsub.RPC) error {
			if !a.Has(id) {
				return errUninvited
			}
			return s.take(time.Now(), id, proto.Size(&rpc.RPC))
		}),
	}
}

var errUninvited = errors.New("no member of the run")

// strangerTimeout is how long a stranger may take to say hello and to read the answer.
const strangerTimeout = 5 * time.Second

// watch notes where members come from, and disconnects strangers that do not say hello in
// time.
func (a *Admission) watch(h host.Host) {
	a.mu.Lock()
	a.network = h.Network()
	a.mu.Unlock()
	h.Network().Notify(&network.NotifyBundle{ConnectedF: func(_ network.Network, c network.Conn) {
		switch id := c.RemotePeer(); {
		case a.listed(id):
			a.near.add(addressOf(c.RemoteMultiaddr()))
		case !a.Has(id):
			time.AfterFunc(strangerTimeout, func() { a.Part(c) })
		}
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
		if id := c.RemotePeer(); a.Has(id) {
			a.near.add(addressOf(c.RemoteMultiaddr()))
		} else {
			ps.BlacklistPeer(id)
			time.AfterFunc(strangerTimeout, func() { a.Part(c) })
		}
	}
}
