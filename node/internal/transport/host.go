package transport

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"github.com/libp2p/go-libp2p"
	pubsub "github.com/libp2p/go-libp2p-pubsub"
	"github.com/libp2p/go-libp2p/core/connmgr"
	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/protocol"
	"github.com/libp2p/go-libp2p/p2p/security/noise"
	tls "github.com/libp2p/go-libp2p/p2p/security/tls"
	"github.com/multiformats/go-multiaddr"

	"github.com/collabdict/collabdict/node/internal/secret"
)

var everywhere = []string{
	"/ip4/0.0.0.0/udp/0/quic-v1", "/ip4/0.0.0.0/tcp/0",
	"/ip6/::/udp/0/quic-v1", "/ip6/::/tcp/0",
}

// Config describes the host of a process.
type Config struct {
	Key        crypto.PrivKey
	Listen     []string // multiaddrs; none means all interfaces
	Size       int      // members of the run
	Consortium [32]byte
	Members    []peer.ID     // the only peers that may take part, if known beforehand
	Secret     secret.Secret // secret that each peer must prove; nil means none
	Log        *slog.Logger
	// Announce holds the multiaddrs that others dial in place of the listening ones; none means
	// the listening ones.
	Announce []string
	// MapPorts asks the router by UPnP to forward a port to this host.
	MapPorts bool
	// Relay passes on connections between members that cannot reach each other. It needs
	// Members: a host relays nothing for strangers.
	Relay bool
	Links []libp2p.Option // used by tests: carries connections in place of the system's network
	// gossipHost, used by tests, returns the host that gossipsub uses in place of the given one.
	gossipHost func(host.Host) host.Host
}

// A Host is a process that peers can find.
type Host struct {
	host.Host
	Admission *Admission

	consortium [32]byte
	protocol   protocol.ID // protocol of the data plane
	traffic    *counter
	log        *slog.Logger
	pubsub     *pubsub.PubSub
	cancel     context.CancelFunc // ends the control plane
	shares     *shares            // shares of the control plane
	relays     *relays            // nil without a list of members
	failures   *failures
	readers    readers
	begun      chan struct{} // closed when a run has begun
	data       *streams      // set when the run begins
	closed     chan struct{}
	closing    sync.Once
}

// Listen opens a host with all of its protocols.
func Listen(c Config) (*Host, error) {
	h := &Host{
		Admission: &Admission{near: &addresses{most: 4*c.Size + 64}, knocks: newKnocks()}, consortium: c.Consortium, protocol: dataProtocol(c.Consortium), traffic: &counter{}, log: c.Log, shares: newShares(),
		begun: make(chan struct{}), closed: make(chan struct{}),
	}
	if len(c.Members) > 0 {
		h.Admission.Limit(c.Members)
	}
	links, err := transports(c)
	if err != nil {
		return nil, err
	}
	if h.Host, err = newHost(c, h.traffic, h.Admission, append(links, c.Links...)...); err != nil {
		return nil, err
	}
	h.failures = newFailures(h.Host, c.Log)
	gossip := h.Host
	if c.gossipHost != nil {
		gossip = c.gossipHost(gossip)
	}
	ctx, cancel := context.WithCancel(context.Background())
	h.cancel = cancel
	if h.pubsub, err = newPubSub(ctx, gossip, c.Consortium, c.Size, h.Admission, h.shares); err != nil {
		cancel()
		return nil, errors.Join(err, h.Host.Close())
	}
	h.Admission.watch(h.Host)
	if len(c.Members) > 0 {
		if h.relays, err = newRelays(h.Host, h.Admission, c); err != nil {
			return nil, errors.Join(err, h.Close())
		}
	}
	h.SetStreamHandler(h.protocol, h.receive)
	return h, nil
}

// Begin starts the traffic of a run. The context lasts as long as the process.
func (h *Host) Begin(ctx context.Context, run Run) (*Transport, error) {
	t, err := begin(ctx, h, run)
	if err != nil {
		return nil, err
	}
	h.data = t.streams
	close(h.begun)
	return t, nil
}

// receive accepts a data stream. Another member may know that the roster is complete before
// this one does; then its stream waits.
func (h *Host) receive(s network.Stream) {
	if !h.Admission.Has(s.Conn().RemotePeer()) {
		s.Reset()
		return
	}
	done := h.readers.replace(s)
	defer done()
	select {
	case <-h.begun:
	case <-h.closed:
		s.Reset()
		return
	}
	if !h.data.tasks.Run(func() { h.data.accept(s) }) {
		s.Reset()
	}
}

// Dialable returns the multiaddrs that other processes can dial.
func (h *Host) Dialable() []string {
	var addrs []string
	for _, a := range h.Addrs() {
		addrs = append(addrs, a.String()+"/p2p/"+h.ID().String())
	}
	return addrs
}

// Traffic returns the amounts sent and received so far.
func (h *Host) Traffic() Traffic { return h.traffic.snapshot() }

// Close closes the host. The streams of a run end with its context.
func (h *Host) Close() error {
	h.closing.Do(func() { close(h.closed) })
	h.cancel()
	if h.relays != nil {
		h.relays.close()
	}
	return h.Host.Close()
}

// A ListenError reports addresses on which the host cannot listen.
type ListenError struct{ Got string }

func (e *ListenError) Error() string {
	return "listen: want addresses of this machine with free ports, got " + e.Got
}

// newHost opens the libp2p host. The connection manager closes no connections, since all
// members stay connected for the whole run.
func newHost(c Config, traffic *counter, admission *Admission, links ...libp2p.Option) (host.Host, error) {
	listen := c.Listen
	if len(listen) == 0 {
		listen = everywhere
	}
	resources, err := newResources(c.Size, admission)
	if err != nil {
		return nil, err
	}
	announced, err := multiaddrs(c.Announce)
	if err != nil {
		return nil, err
	}
	options := []libp2p.Option{
		libp2p.Identity(c.Key),
		libp2p.ListenAddrStrings(listen...),
		libp2p.Security(noise.ID, noise.New),
		libp2p.Security(tls.ID, tls.New),
		libp2p.ResourceManager(resources),
		libp2p.ConnectionManager(connmgr.NullConnMgr{}),
		libp2p.ConnectionGater(admission),
		libp2p.BandwidthReporter(traffic),
		libp2p.UserAgent("collabdict"),
		libp2p.DisableMetrics(),
		libp2p.Ping(false),
		// Members are dialled until they are connected. After a hundred failed dials libp2p
		// would assume a network without UDP or IPv6, and almost stop dialling.
		libp2p.UDPBlackHoleSuccessCounter(nil),
		libp2p.IPv6BlackHoleSuccessCounter(nil),
	}
	if len(announced) > 0 {
		options = append(options, libp2p.AddrsFactory(func([]multiaddr.Multiaddr) []multiaddr.Multiaddr { return announced }))
	}
	if c.MapPorts {
		options = append(options, libp2p.NATPortMap())
	}
	if len(c.Members) > 0 {
		options = append(options, libp2p.EnableRelay(), libp2p.EnableHolePunching())
	} else {
		options = append(options, libp2p.DisableRelay(), libp2p.DisableIdentifyAddressDiscovery())
	}
	h, err := libp2p.New(append(options, links...)...)
	if err != nil {
		return nil, &ListenError{fmt.Sprintf("%v: %v", listen, err)}
	}
	if got := listening(h); got < len(c.Listen) { // libp2p continues if it can use only some of the addresses
		h.Close()
		return nil, &ListenError{fmt.Sprintf("%v (%d of them available)", listen, got)}
	}
	return h, nil
}

// listening returns the number of this machine's addresses on which a host listens.
func listening(h host.Host) (n int) {
	for _, a := range h.Network().ListenAddresses() {
		if !relayed(a) {
			n++
		}
	}
	return n
}

func multiaddrs(texts []string) ([]multiaddr.Multiaddr, error) {
	var list []multiaddr.Multiaddr
	for _, t := range texts {
		a, err := multiaddr.NewMultiaddr(t)
		if err != nil {
			return nil, fmt.Errorf("announce: want a multiaddr such as /dns4/node.example.org/tcp/4001, got %q: %w", t, err)
		}
		list = append(list, a)
	}
	return list, nil
}
