package rendezvous

import (
	"context"
	"testing"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/collabdict/collabdict/node/internal/membership"
)

// A member gives the present addresses of others, even if it visits nobody any more, as during
// a run.
func TestAddressesAreHeardFromOthers(t *testing.T) {
	configs := []Config{testConfig(t, 0, 3), testConfig(t, 1, 3), testConfig(t, 2, 3)}
	var members []membership.Member
	for _, c := range configs {
		members = append(members, membership.Member{Name: c.Name, ID: identity(t, c)})
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	var all []*Rendezvous
	for i := range configs {
		configs[i].Members = members
		r := opened(t, configs[i])
		r.joining = over
		if err := r.discover(); err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	asks, moved, knows := all[0], all[1], all[2]
	hello := func(from *Rendezvous) {
		t.Helper()
		info := peer.AddrInfo{ID: knows.cfg.Host.ID(), Addrs: knows.cfg.Host.Addrs()}
		if err := from.cfg.Host.Connect(t.Context(), info); err != nil {
			t.Fatal(err)
		}
		from.Ask(t.Context(), []peer.ID{info.ID})
	}
	hello(moved)
	before := asks.cfg.Host.Peerstore().Addrs(moved.cfg.Host.ID())
	hello(asks)
	got := asks.cfg.Host.Peerstore().Addrs(moved.cfg.Host.ID())
	if len(before) != 0 || len(got) == 0 {
		t.Fatalf("addresses before %v and after %v", before, got)
	}
	if err := asks.cfg.Host.Connect(t.Context(), peer.AddrInfo{ID: moved.cfg.Host.ID()}); err != nil {
		t.Error(err)
	}
}
