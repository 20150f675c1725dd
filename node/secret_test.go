package node

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/protocol"

	"github.com/collabdict/collabdict/node/internal/nodetest"
	"github.com/collabdict/collabdict/node/internal/rendezvous"
)

var shared = Secret("0123456789abcdef0123456789abcdef")

// secretly gives the members a secret in place of Open.
func secretly(configs []Config, s Secret) {
	for i := range configs {
		configs[i].Open, configs[i].Secret = false, s
	}
}

// Two strangers know the whole agreement, and come before two of three members. The members
// begin without them, and the strangers can reach none of their protocols.
func TestStrangersTakeNoSeat(t *testing.T) {
	simulate(t, 50*time.Millisecond, 20*megabit, func(t *testing.T, s *simulation) {
		configs := s.configs(t, 5)
		for i := range configs {
			configs[i].Expect = 3
		}
		secretly(configs[:3], shared)
		secretly(configs[3:4], append(Secret{1}, shared...))
		lines := logged(&configs[0])
		first := join(t, configs[0])
		peers := nodetest.Receive(t, first.addrs)
		for i := range configs[1:] {
			configs[1+i].Peers = peers
		}
		var strangers []*joining
		for _, c := range configs[3:] {
			stranger := join(t, c)
			nodetest.Receive(t, stranger.addrs)
			first.hears(t, lines, "without this run's secret", identity(t, c).String())
			strangers = append(strangers, stranger)
		}
		all := []*joining{first}
		for _, c := range configs[1:3] {
			all = append(all, join(t, c))
			nodetest.Receive(t, all[len(all)-1].addrs)
		}
		nodes := make([]*Node, len(all))
		for i, j := range all {
			end := j.wait(t)
			if end.err != nil {
				t.Fatalf("member %d: %v", i, end.err)
			}
			if nodes[i] = end.node; len(nodes[i].Members()) != 3 || nodes[i].Members()[2].Name != "m2" {
				t.Errorf("member %d is in a run of %v", i, nodes[i].Members())
			}
		}

		outsider := s.outsider(t, len(configs))
		to, err := peer.AddrInfoFromString(peers[0])
		if err != nil {
			t.Fatal(err)
		}
		protocols := slices.Concat(nodes[0].host.Mux().Protocols(), []protocol.ID{rendezvous.HelloProtocol})
		if len(protocols) < 4 {
			t.Errorf("only %v", protocols)
		}
		for _, id := range protocols {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			outsider.host.Peerstore().AddAddrs(to.ID, to.Addrs, time.Hour)
			if stream, err := outsider.host.NewStream(ctx, to.ID, id); err == nil {
				_, err = stream.Write([]byte("x"))
				if err == nil {
					_, err = stream.Read(make([]byte, 1))
				}
				if err == nil || ctx.Err() != nil {
					t.Errorf("%s answers a stranger: %v", id, err)
				}
			}
			cancel()
		}
		if conns := nodes[0].host.Network().ConnsToPeer(outsider.id); len(conns) > 0 {
			t.Errorf("the stranger is connected: %v", conns)
		}

		for _, err := range each(t, nodes, sum) {
			if err != nil {
				t.Error(err)
			}
		}
		finish(t, nodes)
		for i, j := range strangers {
			select {
			case end := <-j.ended:
				var late *JoinTimeoutError
				if !errors.As(end.err, &late) {
					t.Errorf("stranger %d: %v", i, end.err)
				}
			default: // it waits on
			}
		}
	})
}

// Members with the same secret and a different setting receive an error that names the setting.
func TestMembersWithTheSecretLearnTheDifference(t *testing.T) {
	simulate(t, 50*time.Millisecond, 20*megabit, func(t *testing.T, s *simulation) {
		configs := s.configs(t, 3)[:2]
		secretly(configs, shared)
		configs[1].Agreement = Agreement{{Name: "model", Value: "ggm"}, {Name: "rho", Value: "0.2"}}
		keptApart(t, configs[0], configs[1], []string{"disagrees on rho"})
	})
}

// The warning that anyone can take a seat is logged once.
func TestOpenSeatsAreLogged(t *testing.T) {
	simulate(t, 50*time.Millisecond, 20*megabit, func(t *testing.T, s *simulation) {
		for _, open := range []bool{true, false} {
			c := s.config(t, 0, 3)
			if c.JoinTimeout = time.Second; !open {
				c.Open, c.Secret = false, shared
				s.Place(&c, 1, 0)
			}
			lines := logged(&c)
			join(t, c).wait(t)
			said := 0
			for len(lines) > 0 {
				said += strings.Count(<-lines, "anyone on this network can take a seat")
			}
			if want := map[bool]int{true: 1}[open]; said != want {
				t.Errorf("open %v: logged %d times, want %d", open, said, want)
			}
		}
	})
}
