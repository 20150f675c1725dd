package rendezvous

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/collabdict/collabdict/node/internal/membership"
	"github.com/collabdict/collabdict/node/internal/nodetest"
)

// A process that disconnects before it has signed is listed as missing until it is back.
func TestADisconnectedProcessIsMissing(t *testing.T) {
	configs := []Config{testConfig(t, 0, 3), testConfig(t, 1, 3), testConfig(t, 2, 3)}
	var members []membership.Member
	for _, c := range configs {
		members = append(members, membership.Member{Name: c.Name, ID: identity(t, c)})
	}
	for i := range configs {
		configs[i].Members = members
	}
	statuses := make(chan Presence, 10)
	configs[0].OnPresence = func(p Presence) { statuses <- p }
	over, cancel := context.WithCancel(t.Context())
	cancel()
	start := func(i int) *Rendezvous {
		r := opened(t, configs[i])
		r.joining = over // it visits nobody
		return r
	}
	a, b, c := start(0), start(1), start(2)
	defer a.watchRecords()()
	if err := a.discover(); err != nil {
		t.Fatal(err)
	}
	say := func(g *Rendezvous) {
		t.Helper()
		info := peer.AddrInfo{ID: a.cfg.Host.ID(), Addrs: a.cfg.Host.Addrs()}
		if err := errors.Join(g.cfg.Host.Connect(t.Context(), info), g.exchange(t.Context(), a.cfg.Host.ID())); err != nil {
			t.Fatal(err)
		}
	}
	want := func(present int, missing ...string) {
		t.Helper()
		s := nodetest.Receive(t, statuses)
		var names []string
		for _, m := range s.Missing {
			name, _, _ := strings.Cut(m, " ")
			names = append(names, name)
		}
		if len(s.Present) != present || !slices.Equal(names, missing) {
			t.Fatalf("present %q, missing %q, want %d and %q", s.Present, s.Missing, present, missing)
		}
	}
	say(b)
	want(2, "m2")
	say(c)
	want(3)
	end(b)
	want(2, "m1")
	b = start(1)
	say(b)
	want(3)
	end(b)
	want(2, "m1")
	late, stop := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer stop()
	if err := a.late(late); !strings.Contains(err.Error(), "want 3, got 2 ") || !strings.Contains(err.Error(), "missing m1 (") {
		t.Error(err)
	}
}

func TestMissingMembersAreCounted(t *testing.T) {
	for want, got := range map[string]string{
		"2 unknown":        listMissing(3, 1, nil),
		"m1":               listMissing(3, 2, []string{"m1"}),
		"m1 and 1 unknown": listMissing(3, 1, []string{"m1"}),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
