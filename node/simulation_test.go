package node

import (
	"fmt"
	"net"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/libp2p/go-libp2p"
	"github.com/libp2p/go-libp2p/x/simlibp2p"
	"github.com/marcopolo/simnet"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/node/internal/nodetest"
)

// A simulation is a network in virtual time for libp2p hosts: QUIC over links with latency and
// bandwidth. Unlike netsim it runs all of package node, with gossip, streams and the disk. All
// waits are in virtual time (testing/synctest). They cost nothing, each has a limit, and a slow
// machine misses none. Events at the same virtual time run in any order, so tests compare
// results, not events.
type simulation struct {
	net     *simnet.Simnet
	latency time.Duration
	link    simnet.LinkSettings
	sides   atomic.Pointer[[]int] // side of each host; nil while all are connected
}

const megabit = 1_000_000

// simulate runs a test on a network. Latency is the time of a packet; bits is the bandwidth of
// a link in each direction, in bits per second.
func simulate(t *testing.T, latency time.Duration, bits int, test func(t *testing.T, s *simulation)) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &simulation{net: &simnet.Simnet{Logger: nullLog}, latency: latency, link: simnet.LinkSettings{BitsPerSecond: bits}}
		s.net.LatencyFunc = s.route
		s.net.Start()
		t.Cleanup(s.net.Close)
		test(t, s)
	})
}

// nowhere is an address without a host.
var nowhere = &net.UDPAddr{IP: net.IPv4zero}

// route returns the travel time of a packet, and drops packets to another side.
func (s *simulation) route(p *simnet.Packet) time.Duration {
	host := func(a net.Addr) int { return int(a.(*net.UDPAddr).IP.To4()[3]) - 1 } // see config
	if sides := s.sides.Load(); sides != nil && (*sides)[host(p.From)] != (*sides)[host(p.To)] {
		p.To = nowhere
	}
	return s.latency
}

// part cuts all links between hosts of different sides. Packets on their way still arrive.
func (s *simulation) part(sides ...int) { s.sides.Store(&sides) }

// heal restores all links.
func (s *simulation) heal() { s.sides.Store(nil) }

// config describes member i of a run of size members on the network. Sums are exact.
func (s *simulation) config(t *testing.T, i, size int) Config {
	c := testConfig(t, i, size)
	c.Settings.Scheme, c.Heartbeat = consensus.Exact, time.Second
	s.Place(&c, i, 0)
	return c
}

// Place adds host i to the network.
func (s *simulation) Place(c *Config, i, port int) {
	c.Listen = []string{fmt.Sprintf("/ip4/%s/udp/%d/quic-v1", simnet.IntToPublicIPv4(i), 8000+port)}
	c.links = []libp2p.Option{simlibp2p.QUICSimnet(s.net, simnet.NodeBiDiLinkSettings{Uplink: s.link, Downlink: s.link})}
}

func (s *simulation) configs(t *testing.T, size int) []Config {
	configs := make([]Config, size)
	for i := range configs {
		configs[i] = s.config(t, i, size)
	}
	return configs
}

// start returns the nodes of a run, in rank order. It creates their hosts one by one, since
// simnet is not safe for concurrent use.
func (s *simulation) start(t *testing.T, configs ...Config) []*Node {
	t.Helper()
	var peers []string
	all := make([]*joining, len(configs))
	for i, c := range configs {
		c.Peers = slices.Clone(peers)
		all[i] = join(t, c)
		if addrs := nodetest.Receive(t, all[i].addrs); i == 0 {
			peers = addrs
		}
	}
	nodes := make([]*Node, len(configs))
	for i, j := range all {
		end := j.wait(t)
		if end.err != nil {
			t.Fatalf("%s: %v", configs[i].Name, end.err)
		}
		nodes[end.node.Self()] = end.node
	}
	return nodes
}

// pass waits for a span of virtual time, like a local update.
func pass(d time.Duration) { <-time.After(d) }
