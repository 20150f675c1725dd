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

// Admission decides which peers may take part. If the roster was agreed beforehand, only its
// members may; otherwise anybody may until all members have signed.
//
// Strangers are not dialled and receive nothing from the control plane. A few of them at a time
// may connect, since their hello is answered with the reason of the refusal; then they are
// disconnected. All other strangers are disconnected as soon as the handshake has proven their
// peer IDs, before they can open a stream.
type Admission struct {
	members atomic.Pointer[map[peer.ID]bool]
	near    *addresses // addresses from which members have connected
	knocks  *knocks

	mu      sync.Mutex
	network network.Network // set by watch
	looked  time.Time       // last time that complete looked
	all     bool
}

var _ connmgr.ConnectionGater = (*Admission)(nil)

// Limit lets only the given peers take part.
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

// listed reports whether a peer is a known member.
func (a *Admission) listed(id peer.ID) bool {
	ids := a.members.Load()
	return ids != nil && (*ids)[id]
}

// list returns the known members.
func (a *Admission) list() []peer.ID {
	ids := a.members.Load()
	if ids == nil {
		return nil
	}
	return slices.Collect(maps.Keys(*ids))
}

// complete reports whether all members are connected. The answer is at most a second old.
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

// InterceptAccept accepts relayed connections only from members.
func (a *Admission) InterceptAccept(c network.ConnMultiaddrs) bool {
	addr := c.RemoteMultiaddr()
	return !relayed(addr) || a.listed(relayOf(addr))
}

func (a *Admission) InterceptSecured(_ network.Direction, id peer.ID, c network.ConnMultiaddrs) bool {
	return a.Has(id) || a.knocks.room() && a.knocks.rate.Allow(addressOf(c.RemoteMultiaddr()))
}

func (a *Admission) InterceptUpgraded(c network.Conn) (bool, connection.DisconnectReason) {
	return a.Has(c.RemotePeer()) || a.knocks.enter(c), 0
}

// Contains is the blacklist of gossipsub: gossipsub sends strangers nothing and accepts nothing
// from them.
func (a *Admission) Contains(id peer.ID) bool { return !a.Has(id) }

// Add extends the blacklist of gossipsub. It does nothing, since all strangers are on it.
func (a *Admission) Add(peer.ID) bool { return true }

// options restrict gossipsub to members, and each member to its share.
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

var errUninvited = errors.New("not a member of the run")

// strangerTimeout is how long a stranger may take to say hello and to read the answer.
const strangerTimeout = 5 * time.Second

// watch records the addresses of members that connect, and disconnects strangers that do not
// say hello in time.
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

// expel disconnects strangers that connected and subscribed before the members were known.
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
