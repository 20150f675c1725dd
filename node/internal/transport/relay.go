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

// Members that cannot reach each other are connected through a third one that relays. Their
// messages are encrypted between the two; the third can only disconnect them.
//
// Every member reserves a place at each member that relays, whether or not it needs one. So no
// member has to find out first whether it can be reached from outside, and a member that moves
// behind a firewall stays reachable. Over a relayed connection the two try to connect directly,
// by hole punching. If that succeeds, they use the direct connection.

func init() {
	// The address that a host believes it has behind a NAT only decides where the others dial.
	// In a small consortium few other members can observe it, so one observation is enough.
	observedaddrs.ActivationThresh = 1
}

const (
	relayEvery = time.Minute // time between two checks of a reservation
	relayMost  = 10 * time.Second
	// placeFor is how long a reservation at a relay is valid, by the relay's clock. A member
	// whose clock is further ahead gets none. The reservation also ends with the connection.
	placeFor = 30 * 24 * time.Hour
)

// relays holds this host's reservations at the members that relay.
type relays struct {
	host      host.Host
	admission *Admission
	relay     *relay.Relay // nil if this host does not relay
	ctx       context.Context
	cancel    context.CancelFunc
	work      sync.WaitGroup

	mu   sync.Mutex
	held map[peer.ID]chan struct{} // by member that relays; a value means that it has connected anew
}

func newRelays(h host.Host, a *Admission, c Config) (*relays, error) {
	r := &relays{host: h, admission: a, held: map[peer.ID]chan struct{}{}}
	r.ctx, r.cancel = context.WithCancel(context.Background())
	if c.Relay {
		most := 16*c.Size + 64
		var err error
		r.relay, err = relay.New(h, relay.WithInfiniteLimits(), relay.WithACL(membersOnly{a}),
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

// membersOnly relays connections between members only.
type membersOnly struct{ *Admission }

var _ relay.ACLFilter = membersOnly{}

func (a membersOnly) AllowReserve(id peer.ID, _ multiaddr.Multiaddr) bool { return a.listed(id) }

func (a membersOnly) AllowConnect(from peer.ID, _ multiaddr.Multiaddr, to peer.ID) bool {
	return a.listed(from) && a.listed(to)
}

// follow reserves a place at each member that relays, as soon as its connection has shown that
// it relays.
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
			identified := e.(event.EvtPeerIdentificationCompleted)
			if slices.Contains(identified.Protocols, circuit.ProtoIDv2Hop) && r.admission.listed(identified.Peer) {
				r.hold(identified.Peer)
			}
		}
	}
}

// hold reserves a place at a member that relays. The member may have restarted, and then has no
// reservations.
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

// keep renews a reservation while the relay is connected.
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

// offer records that all other members may be reached through a relay.
func (r *relays) offer(through peer.ID) {
	via, err := multiaddr.NewMultiaddr("/p2p/" + through.String() + "/p2p-circuit")
	if err != nil {
		panic("transport: " + err.Error()) // a peer ID always forms an address
	}
	for _, id := range r.admission.list() {
		if id != through && id != r.host.ID() {
			r.host.Peerstore().AddAddr(id, via, 10*relayEvery)
		}
	}
}

// close ends all reservations and the relay. The host is still open.
func (r *relays) close() {
	r.cancel()
	r.work.Wait()
	if r.relay != nil {
		r.relay.Close()
	}
}

// relayed reports whether an address leads through a relay.
func relayed(a multiaddr.Multiaddr) bool {
	_, err := a.ValueForProtocol(multiaddr.P_CIRCUIT)
	return err == nil
}

// relayOf returns the member that an address leads through, or "" if it is direct.
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
