package transport

import (
	"errors"
	"net/netip"
	"sync"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	rcmgr "github.com/libp2p/go-libp2p/p2p/host/resource-manager"
	"github.com/libp2p/go-libp2p/x/rate"
	"github.com/multiformats/go-multiaddr"
	manet "github.com/multiformats/go-multiaddr/net"
)

// window is the buffer in bytes that libp2p reserves for a new stream. A busy stream asks for a
// larger one, and gets it while less than half of a limit is reserved.
const window = 256 << 10

// newResources limits the resources that peers can use on this host, in proportion to the
// number of members. All of them may share one address, as on one machine or behind one
// gateway, so the limits per address are those of the whole run.
func newResources(size int, a *Admission) (network.ResourceManager, error) {
	unknown := 8*size + 64 // connections before the handshake
	conns, streams := 2*unknown, 64*size+1024
	limits := rcmgr.PartialLimitConfig{
		System: rcmgr.ResourceLimits{
			Conns: rcmgr.LimitVal(conns), ConnsInbound: rcmgr.LimitVal(conns), ConnsOutbound: rcmgr.LimitVal(conns),
			Streams: rcmgr.LimitVal(streams), StreamsInbound: rcmgr.LimitVal(streams), StreamsOutbound: rcmgr.LimitVal(streams),
			Memory: rcmgr.LimitVal64(min(64<<20+size*16<<20, 2<<30)),
		},
		Transient: rcmgr.ResourceLimits{
			Conns: rcmgr.LimitVal(unknown), ConnsInbound: rcmgr.LimitVal(unknown), ConnsOutbound: rcmgr.LimitVal(unknown),
			Streams: rcmgr.LimitVal(streams), StreamsInbound: rcmgr.LimitVal(streams), StreamsOutbound: rcmgr.LimitVal(streams),
			Memory: 32 << 20,
		},
	}
	perAddress := 4*size + 32 // so that one address cannot use up the limit of all
	v4 := []rcmgr.ConnLimitPerSubnet{{PrefixLength: 32, ConnCount: perAddress}}
	v6 := []rcmgr.ConnLimitPerSubnet{{PrefixLength: 56, ConnCount: perAddress}}
	resources, err := rcmgr.NewResourceManager(
		&limiter{Limiter: rcmgr.NewFixedLimiter(limits.Build(rcmgr.InfiniteLimits)), admission: a, member: memberLimit(size)},
		rcmgr.WithLimitPerSubnet(v4, v6),
		rcmgr.WithConnRateLimiters(&rate.Limiter{}), // the door has its own
		rcmgr.WithMetricsDisabled(),
	)
	if err != nil {
		return nil, err
	}
	return newDoor(resources, size, a), nil
}

// limiter gives known members higher limits than peers that may be strangers, as soon as the
// members are known.
type limiter struct {
	rcmgr.Limiter
	admission *Admission
	member    *rcmgr.BaseLimit
}

func (l *limiter) GetPeerLimits(id peer.ID) rcmgr.Limit { return &peerLimit{l, id} }

// memberLimit returns the limit of a member: hellos, two streams for gossip, two for data, and
// those of identification on each connection. A long stream has a window of its own. A
// connection that this host relays is one stream at each end.
func memberLimit(size int) *rcmgr.BaseLimit {
	passed := 2 * min(size, passedMost)
	return &rcmgr.BaseLimit{
		Conns: 16, ConnsInbound: 16, ConnsOutbound: 16, FD: 16,
		Streams: 48 + passed, StreamsInbound: 32 + passed, StreamsOutbound: 32 + passed, Memory: 32<<20 + int64(passed)*window,
	}
}

// passedMost bounds the connections that a host relays for one member.
const passedMost = 128

var unlistedLimit = &rcmgr.BaseLimit{
	Conns: 8, ConnsInbound: 8, ConnsOutbound: 8, FD: 8,
	Streams: 16, StreamsInbound: 10, StreamsOutbound: 10, Memory: 16 * window,
}

// A peerLimit is the present limit of a peer.
type peerLimit struct {
	*limiter
	id peer.ID
}

var _ rcmgr.Limit = (*peerLimit)(nil)

func (p *peerLimit) now() *rcmgr.BaseLimit {
	if p.admission.listed(p.id) {
		return p.member
	}
	return unlistedLimit
}

func (p *peerLimit) GetMemoryLimit() int64                    { return p.now().GetMemoryLimit() }
func (p *peerLimit) GetStreamLimit(dir network.Direction) int { return p.now().GetStreamLimit(dir) }
func (p *peerLimit) GetStreamTotalLimit() int                 { return p.now().GetStreamTotalLimit() }
func (p *peerLimit) GetConnLimit(dir network.Direction) int   { return p.now().GetConnLimit(dir) }
func (p *peerLimit) GetConnTotalLimit() int                   { return p.now().GetConnTotalLimit() }
func (p *peerLimit) GetFDLimit() int                          { return p.now().GetFDLimit() }

// A door bounds the connections per second that reach the handshake, which takes processor
// time. Addresses from which members have connected have a bucket of their own, so that
// strangers elsewhere cannot keep a member out. While all members are connected, few other
// peers have a reason to connect, and the bound is lower. Outgoing connections are not bounded.
type door struct {
	network.ResourceManager
	admission             *Admission
	members, others, idle rate.Limiter
}

func newDoor(r network.ResourceManager, size int, a *Admission) *door {
	perAddress := rate.Limit{RPS: float64(size + 4), Burst: 4*size + 32}
	return &door{
		ResourceManager: r, admission: a,
		idle:    rate.Limiter{GlobalLimit: rate.Limit{RPS: knocksPerSecond, Burst: 2 * knocksMost}},
		members: rate.Limiter{GlobalLimit: rate.Limit{RPS: float64(2*size + 8), Burst: 8*size + 64}},
		others: rate.Limiter{
			GlobalLimit: rate.Limit{RPS: float64(2*size + 8), Burst: 8*size + 64},
			SubnetRateLimiter: rate.SubnetLimiter{
				IPv4SubnetLimits: []rate.SubnetLimit{{PrefixLength: 32, Limit: perAddress}},
				IPv6SubnetLimits: []rate.SubnetLimit{{PrefixLength: 56, Limit: perAddress}},
			},
		},
	}
}

var errBusy = errors.New("too many connections per second")

func (d *door) OpenConnection(dir network.Direction, usefd bool, endpoint multiaddr.Multiaddr) (network.ConnManagementScope, error) {
	if dir == network.DirInbound {
		ip := addressOf(endpoint)
		limiter := &d.others
		switch {
		case d.admission.complete():
			limiter = &d.idle
		case d.admission.near.has(ip):
			limiter = &d.members
		}
		if !limiter.Allow(ip) {
			return nil, errBusy
		}
	}
	return d.ResourceManager.OpenConnection(dir, usefd, endpoint)
}

// OpenStream counts the streams of strangers.
func (d *door) OpenStream(id peer.ID, dir network.Direction) (network.StreamManagementScope, error) {
	if dir == network.DirInbound && !d.admission.Has(id) {
		d.admission.knocks.stream(id)
	}
	return d.ResourceManager.OpenStream(id, dir)
}

// addressOf returns the IP address of a multiaddr, or the zero address if it has none.
func addressOf(a multiaddr.Multiaddr) netip.Addr {
	ip, err := manet.ToIP(a)
	if err != nil {
		return netip.Addr{}
	}
	addr, _ := netip.AddrFromSlice(ip)
	return addr.Unmap()
}

// addresses is a bounded set of IP addresses.
type addresses struct {
	mu   sync.Mutex
	most int
	set  map[netip.Addr]bool
}

func (s *addresses) add(a netip.Addr) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.set == nil {
		s.set = map[netip.Addr]bool{}
	}
	if a.IsValid() && len(s.set) < s.most {
		s.set[a] = true
	}
}

func (s *addresses) has(a netip.Addr) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.set[a]
}
