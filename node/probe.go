package node

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/peerstore"
	"github.com/multiformats/go-multiaddr"
	manet "github.com/multiformats/go-multiaddr/net"

	"github.com/collabdict/collabdict/node/internal/membership"
	"github.com/collabdict/collabdict/node/internal/rendezvous"
	"github.com/collabdict/collabdict/node/internal/transport"
)

// A Difference is a field whose values differ in two agreements.
type Difference = membership.Difference

// A Probed is the answer of one member.
type Probed struct {
	Name string
	// Err is the reason if there is no answer. Failures gives the error of each address.
	Err      error
	Failures []string
	// Via is the member that relays the connection; "" if it is direct.
	Via string
	// Trip is the time from the hello to its answer. Ahead is how far the member's clock is
	// ahead of this one, to within half of Trip.
	Trip, Ahead time.Duration
	// Refused is the reason why it would not admit this member. Differs lists the fields in
	// which its agreement differs.
	Refused string
	Differs []Difference
	// InRun reports whether it is in a run, or about to begin one.
	InRun bool
	// Reaches lists the other members that it is connected to. Relays reports whether it relays
	// connections.
	Reaches []Link
	Relays  bool
}

// connectAfter is how long a probe waits for members that it cannot dial, or that have just
// started. Members dial each other every two seconds, directly or through a relay.
const connectAfter = 3 * time.Second

// Probe says hello to all other members of a list as this participant, and takes no part in a
// run. No other process may run in its folder. It returns the answers, in the order of the
// list, and the pairs of members that do not reach each other.
func Probe(ctx context.Context, c Config) ([]Probed, []Unreached, error) {
	if err := c.validate(); err != nil {
		return nil, nil, err
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	key, err := loadIdentity(c.Dir)
	if err != nil {
		return nil, nil, err
	}
	self, err := peer.IDFromPrivateKey(key)
	if err != nil {
		return nil, nil, err
	}
	if err := c.checkSelf(self); err != nil {
		return nil, nil, err
	}
	if err := c.checkPorts(); err != nil {
		return nil, nil, err
	}
	agreement := c.complete()
	h, err := c.listen(key, agreement.ID())
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r, err := rendezvous.New(ctx, rendezvous.Config{
		Name: c.Name, Size: c.Size(), Members: c.Members, Agreement: agreement, Settings: c.Settings, Key: key, Host: h, Log: c.Log,
	})
	if err != nil {
		return nil, nil, errors.Join(err, h.Close())
	}
	defer func() { h.Close(); r.Close() }()
	others := slices.DeleteFunc(slices.Clone(c.Members), func(m Member) bool { return m.ID == self })
	found := probeAll(ctx, r, h, others)
	return c.probed(others, found), r.ProbedUnreached(found), ctx.Err()
}

// checkPorts returns an error if another program has an address to listen on. libp2p would
// share the port with a program that allows it, such as another node.
func (c *Config) checkPorts() error {
	for _, text := range c.Listen {
		a, err := multiaddr.NewMultiaddr(text)
		if err != nil {
			return refused("listen", text, "a multiaddr such as /ip4/0.0.0.0/tcp/4001")
		}
		network, address, err := manet.DialArgs(a)
		if err != nil {
			continue // transport.Listen reports what is wrong with it
		}
		var port io.Closer
		if strings.HasPrefix(network, "udp") {
			port, err = net.ListenPacket(network, address)
		} else {
			port, err = net.Listen(network, address)
		}
		if err != nil {
			return refused("listen", fmt.Sprintf("%s: %v", text, err), "addresses of this machine with free ports")
		}
		port.Close()
	}
	return nil
}

// probeAll probes all members. If some are not connected to this one or to each other, it waits
// until they had time to connect, and probes all once more.
func probeAll(ctx context.Context, r *rendezvous.Rendezvous, h *transport.Host, others []Member) []rendezvous.Probed {
	for _, m := range others {
		if info, err := m.AddrInfo(); err == nil {
			h.Peerstore().AddAddrs(m.ID, info.Addrs, peerstore.PermanentAddrTTL)
		}
	}
	probe := func() []rendezvous.Probed {
		found := make([]rendezvous.Probed, len(others))
		var all sync.WaitGroup
		for i, m := range others {
			all.Go(func() { found[i] = r.Probe(ctx, m) })
		}
		all.Wait()
		return found
	}
	first := probe()
	failed := func(p rendezvous.Probed) bool { return len(p.Failures) > 0 }
	if !slices.ContainsFunc(first, failed) && len(r.ProbedUnreached(first)) == 0 {
		return first
	}
	select {
	case <-ctx.Done():
		return first
	case <-time.After(connectAfter):
	}
	again := probe()
	for i := range again {
		if failed(again[i]) && failed(first[i]) {
			again[i] = first[i] // the first probe dialled all of its addresses
		}
	}
	return again
}

// probed adds the members' names to their answers.
func (c *Config) probed(others []Member, found []rendezvous.Probed) []Probed {
	name := func(id peer.ID) string { return nameIn(c.Members, id) }
	list := make([]Probed, len(found))
	for i, p := range found {
		list[i] = Probed{
			Name: others[i].Name, Err: p.Err, Failures: p.Failures, Via: name(p.Via), Trip: p.Trip, Ahead: p.Ahead,
			Refused: p.Refused, Differs: p.Differs, InRun: p.InRun, Relays: p.Relays,
		}
		for _, l := range p.Links {
			list[i].Reaches = append(list[i].Reaches, linksOf([]transport.Link{{ID: peer.ID(l.ID), Via: peer.ID(l.Via)}}, name)...)
		}
	}
	return list
}
