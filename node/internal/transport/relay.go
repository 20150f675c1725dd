package transport

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/event"
	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/p2p/host/observedaddrs"
	"github.com/libp2p/go-libp2p/p2p/protocol/circuitv2/client"
	circuit "github.com/libp2p/go-libp2p/p2p/protocol/circuitv2/proto"
	"github.com/libp2p/go-libp2p/p2p/protocol/circuitv2/relay"
	"github.com/multiformats/go-multiaddr"
)

// Members that do not reach each other are connected through a third one that relays. What
// they say is encrypted between the two; the third can only cut it off.
//
// Every member holds a place at each member that relays, whether or not it needs one: so
// nobody has to find out first whether it is reached from outside, and a member that comes
// to be behind a firewall stays reachable. A connection through a relay lets the two
// try to connect directly, by hole punching; from then on that connection is used.

func init() {
	// What a host takes for its address behind a NAT decides only where the others dial in
	// vain. A member of a small consortium has few others that could tell it.
	observedaddrs.ActivationThresh = 1
}

const (
	relayEvery = time.Minute // between two looks at a place at a relay
	relayMost  = 10 * time.Second
	// placeFor is how long a place at a relay holds, by the clock of that: a member whose clock
	// is further ahead gets none. It ends with the connection in any case.
	placeFor = 30 * 24 * time.Hour
)

// relays holds this host's places at the members that relay.
type relays struct {
	host      host.Host
	admission *Admission
	own       *relay.Relay // nil if this host does not relay
	ctx       context.Context
	cancel    context.CancelFunc
	work      sync.WaitGroup

	mu   sync.Mutex
	held map[peer.ID]chan struct{} // of members that relay; a value says that it is connected anew
}

func newRelays(h host.Host, a *Admission, c Config) (*relays, error) {
	r := &relays{host: h, admission: a, held: map[peer.ID]chan struct{}{}}
	r.ctx, r.cancel = context.WithCancel(context.Background())
	if c.Relay {
		most := 16*c.Size + 64
		var err error
		r.own, err = relay.New(h, relay.WithInfiniteLimits(), relay.WithACL(membersOnly{a}),
			relay.WithReservationAddressFilter(func(multiaddr.Multiaddr) bool { return true }),
			relay.WithResources(relay.Resources{
				ReservationTTL: placeFor, MaxReservations: most, MaxCircuits: most, BufferSize: 32 << 10,
				MaxReservationsPerIP: most, MaxReservationsPerASN: most,
			}))
		if err != nil {
			r.cancel()
			return nil, fmt.Errorf("relay: %w", err)
		}
	}
	sub, err := h.EventBus().Subscribe(&event.EvtPeerIdentificationCompleted{})
	if err != nil {
		r.close()
		return nil, fmt.Errorf("relay: %w", err)
	}
	r.work.Go(func() { r.follow(sub) })
	return r, nil
}

// membersOnly passes connections on between members alone.
type membersOnly struct{ *Admission }

var _ relay.ACLFilter = membersOnly{}

func (a membersOnly) AllowReserve(id peer.ID, _ multiaddr.Multiaddr) bool { return a.listed(id) }

func (a membersOnly) AllowConnect(from peer.ID, _ multiaddr.Multiaddr, to peer.ID) bool {
	return a.listed(from) && a.listed(to)
}

// follow takes a place at each member that relays as soon as its connection has told so.
func (r *relays) follow(sub event.Subscription) {
	defer sub.Close()
	for {
		select {
		case <-r.ctx.Done():
			return
		case e, ok := <-sub.Out():
			if !ok {
				return
			}
			told := e.(event.EvtPeerIdentificationCompleted)
			if slices.Contains(told.Protocols, circuit.ProtoIDv2Hop) && r.admission.listed(told.Peer) {
				r.hold(told.Peer)
			}
		}
	}
}

// hold takes a place at a member that relays. Its process may be another than before, which
// knows of no place.
func (r *relays) hold(id peer.ID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	anew, known := r.held[id]
	if !known {
		anew = make(chan struct{}, 1)
		r.held[id] = anew
		r.work.Go(func() { r.keep(id, anew) })
	}
	select {
	case anew <- struct{}{}:
	default:
	}
}

// keep keeps a place at a relay while it is connected.
func (r *relays) keep(id peer.ID, anew <-chan struct{}) {
	var until time.Time
	wait := relayEvery
	for {
		select {
		case <-r.ctx.Done():
			return
		case <-anew:
			until, wait = time.Time{}, time.Second
		case <-time.After(wait):
		}
		if r.host.Network().Connectedness(id) != network.Connected {
			wait = relayEvery
			continue
		}
		if time.Until(until) < 2*relayEvery {
			ctx, cancel := context.WithTimeout(r.ctx, relayMost)
			place, err := client.Reserve(ctx, r.host, peer.AddrInfo{ID: id})
			cancel()
			if err == nil {
				until, wait = place.Expiration, relayEvery
			} else {
				wait = min(2*wait, relayEvery)
			}
		}
		r.offer(id)
	}
}

// offer notes that all other members may be reached through a relay.
func (r *relays) offer(through peer.ID) {
	via, err := multiaddr.NewMultiaddr("/p2p/" + through.String() + "/p2p-circuit")
	if err != nil {
		panic("transport: " + err.Error()) // a peer ID makes an address
	}
	for _, id := range r.admission.list() {
		if id != through && id != r.host.ID() {
			r.host.Peerstore().AddAddr(id, via, 10*relayEvery)
		}
	}
}

// close ends all of it. The host is still open.
func (r *relays) close() {
	r.cancel()
	r.work.Wait()
	if r.own != nil {
		r.own.Close()
	}
}

// relayed reports whether an address leads through a relay.
func relayed(a multiaddr.Multiaddr) bool {
	_, err := a.ValueForProtocol(multiaddr.P_CIRCUIT)
	return err == nil
}

// relayOf returns the member that an address leads through, "" if it is direct.
func relayOf(a multiaddr.Multiaddr) peer.ID {
	if !relayed(a) {
		return ""
	}
	before, _ := multiaddr.SplitFunc(a, func(c multiaddr.Component) bool { return c.Protocol().Code == multiaddr.P_CIRCUIT })
	_, last := multiaddr.SplitLast(before)
	if last == nil || last.Protocol().Code != multiaddr.P_P2P {
		return ""
	}
	id, err := peer.Decode(last.Value())
	if err != nil {
		return ""
	}
	return id
}
