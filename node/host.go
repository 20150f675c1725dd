package node

import (
	"fmt"

	"github.com/libp2p/go-libp2p"
	"github.com/libp2p/go-libp2p/core/connmgr"
	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"
	rcmgr "github.com/libp2p/go-libp2p/p2p/host/resource-manager"
	"github.com/libp2p/go-libp2p/p2p/security/noise"
	tls "github.com/libp2p/go-libp2p/p2p/security/tls"
	quic "github.com/libp2p/go-libp2p/p2p/transport/quic"
	"github.com/libp2p/go-libp2p/p2p/transport/tcp"
	"github.com/libp2p/go-libp2p/x/rate"
)

var everywhere = []string{
	"/ip4/0.0.0.0/udp/0/quic-v1", "/ip4/0.0.0.0/tcp/0",
	"/ip6/::/udp/0/quic-v1", "/ip6/::/tcp/0",
}

// newHost listens. The connection manager trims nothing: all members stay
// connected for the whole run.
func newHost(key crypto.PrivKey, listen []string, size int, traffic *traffic, gater connmgr.ConnectionGater, links ...libp2p.Option) (host.Host, error) {
	asked := len(listen)
	if asked == 0 {
		listen = everywhere
	}
	resources, err := newResources(size)
	if err != nil {
		return nil, err
	}
	h, err := libp2p.New(append([]libp2p.Option{
		libp2p.Identity(key),
		libp2p.ListenAddrStrings(listen...),
		libp2p.Transport(quic.NewTransport),
		libp2p.Transport(tcp.NewTCPTransport),
		libp2p.Security(noise.ID, noise.New),
		libp2p.Security(tls.ID, tls.New),
		libp2p.ResourceManager(resources),
		libp2p.ConnectionManager(connmgr.NullConnMgr{}),
		libp2p.ConnectionGater(gater),
		libp2p.BandwidthReporter(traffic),
		libp2p.UserAgent("collabdict"),
		libp2p.DisableRelay(),
		libp2p.DisableMetrics(),
		libp2p.DisableIdentifyAddressDiscovery(),
		libp2p.Ping(false),
	}, links...)...)
	if err != nil {
		return nil, &ConfigError{"listen", fmt.Sprintf("%v: %v", listen, err), "addresses of this machine with ports that are free"}
	}
	if got := len(h.Network().ListenAddresses()); got < asked { // libp2p goes on with those it can have
		h.Close()
		return nil, &ConfigError{"listen", fmt.Sprintf("%v, of which %d can be had", listen, got), "addresses of this machine with ports that are free"}
	}
	return h, nil
}

// newResources limits what peers can make this host hold, in proportion to the
// number of members. All of them may sit behind one address, as on one machine
// or behind one gateway, so limits per address are those of the whole run.
func newResources(size int) (network.ResourceManager, error) {
	conns, streams := 8*size+64, 64*size+1024
	limits := rcmgr.PartialLimitConfig{
		System: rcmgr.ResourceLimits{
			Conns: rcmgr.LimitVal(conns), ConnsInbound: rcmgr.LimitVal(conns), ConnsOutbound: rcmgr.LimitVal(conns),
			Streams: rcmgr.LimitVal(streams), StreamsInbound: rcmgr.LimitVal(streams), StreamsOutbound: rcmgr.LimitVal(streams),
		},
		Transient: rcmgr.ResourceLimits{
			Conns: rcmgr.LimitVal(conns), ConnsInbound: rcmgr.LimitVal(conns), ConnsOutbound: rcmgr.LimitVal(conns),
			Streams: rcmgr.LimitVal(streams), StreamsInbound: rcmgr.LimitVal(streams), StreamsOutbound: rcmgr.LimitVal(streams),
		},
		// Hellos, two for gossip, two for data, and what identification takes
		// on each of the connections.
		PeerDefault: rcmgr.ResourceLimits{Conns: 16, ConnsInbound: 16, ConnsOutbound: 16, Streams: 48, StreamsInbound: 32, StreamsOutbound: 32},
	}
	v4 := []rcmgr.ConnLimitPerSubnet{{PrefixLength: 32, ConnCount: conns}}
	v6 := []rcmgr.ConnLimitPerSubnet{{PrefixLength: 56, ConnCount: conns}}
	burst := rate.Limit{RPS: float64(conns), Burst: conns}
	return rcmgr.NewResourceManager(
		rcmgr.NewFixedLimiter(limits.Build(rcmgr.InfiniteLimits)),
		rcmgr.WithLimitPerSubnet(v4, v6),
		rcmgr.WithConnRateLimiters(&rate.Limiter{GlobalLimit: burst}),
		rcmgr.WithMetricsDisabled(),
	)
}
