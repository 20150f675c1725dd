package node

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/node/internal/nodetest"
	"github.com/collabdict/collabdict/node/internal/rendezvous"
)

// keptApart asserts that two processes that cannot be in one run both log the reason, each in a
// line with its texts, and keep waiting for the others.
func keptApart(t *testing.T, a, b Config, texts ...[]string) {
	t.Helper()
	lines := []<-chan string{logged(&a), logged(&b)}
	for i, j := range joinAll(t, a, b) {
		j.hears(t, lines[i], append(texts[i%len(texts)], "level=WARN")...)
		j.keepsWaiting(t, []string{a.Name, b.Name}[i])
	}
}

func TestDisagreementIsNamedOnBothSides(t *testing.T) {
	a, b := testConfig(t, 0, 3), testConfig(t, 1, 3)
	b.Agreement = Agreement{{Name: "rho", Value: "0.2"}, {Name: "model", Value: "ggm"}}
	keptApart(t, a, b,
		[]string{"m1 (", `disagrees on rho: this node has \"0.1\", the other \"0.2\"`},
		[]string{"m0 (", `disagrees on rho: this node has \"0.2\", the other \"0.1\"`})
}

// Members of a list also report the reason at once, even if nobody else is present or expected.
func TestADisagreementOfTwoOnAList(t *testing.T) {
	for _, size := range []int{2, 3} {
		configs := make([]Config, size)
		for i := range configs {
			configs[i] = testConfig(t, i, 0)
			if size == 2 {
				configs[i].Settings.Protect = chunking.None // two members cannot hide their vectors from each other
			}
		}
		list(t, configs)
		configs[1].Agreement = Agreement{{Name: "rho", Value: "0.2"}, {Name: "model", Value: "ggm"}}
		keptApart(t, configs[0], configs[1],
			[]string{"m1 (", `disagrees on rho: this node has \"0.1\", the other \"0.2\": start both with the same value`},
			[]string{"m0 (", `disagrees on rho: this node has \"0.2\", the other \"0.1\": start both with the same value`})
	}
}

// The error of a process that gives up waiting has the reason why the two cannot be in one run.
func TestATimeoutReportsADisagreement(t *testing.T) {
	simulate(t, 50*time.Millisecond, 20*megabit, func(t *testing.T, s *simulation) {
		configs := s.configs(t, 3)
		configs[1].Agreement = Agreement{{Name: "model", Value: "ggm"}, {Name: "rho", Value: "0.2"}}
		configs[0].JoinTimeout, configs[1].JoinTimeout = 10*time.Second, 10*time.Second
		first := join(t, configs[0])
		configs[1].Peers = nodetest.Receive(t, first.addrs)
		for i, j := range []*joining{first, join(t, configs[1])} {
			end := j.wait(t)
			var late *JoinTimeoutError
			var differs *DisagreementError
			if !errors.As(end.err, &late) || !errors.As(end.err, &differs) || differs.Field != "rho" || strings.Contains(end.err.Error(), "\n") {
				t.Errorf("member %d: got %v, want a timeout, and that rho differs, in one line", i, end.err)
			}
		}
	})
}

// The caller's agreement need not have the consensus settings and the number of members.
func TestOwnSettingsAreAgreedOn(t *testing.T) {
	a, b := testConfig(t, 0, 3), testConfig(t, 1, 4)
	keptApart(t, a, b, []string{"disagrees on members"})
	a, b = testConfig(t, 0, 3), testConfig(t, 1, 3)
	b.Settings.Tolerance = 1e-6
	keptApart(t, a, b, []string{"disagrees on consensus: tolerance"})
}

func TestDuplicateNameIsNamedOnBothSides(t *testing.T) {
	a, b := testConfig(t, 0, 3), testConfig(t, 1, 3)
	b.Name = a.Name
	keptApart(t, a, b, []string{`two members are named \"m0\"`, identity(t, a).String(), identity(t, b).String()})
}

func TestStrangerIsRefused(t *testing.T) {
	a, b := testConfig(t, 0, 0), testConfig(t, 1, 0)
	stranger := testConfig(t, 2, 3)
	c := testConfig(t, 3, 0)
	var members []Member
	for _, m := range []Config{a, b, c} {
		members = append(members, Member{Name: m.Name, ID: identity(t, m)})
	}
	a.Members, b.Members = members, members
	first := join(t, a)
	stranger.Peers = nodetest.Receive(t, first.addrs)
	lines, own := logged(&stranger), identity(t, stranger).String()
	join(t, stranger).hears(t, lines, "level=WARN", "refuses this node", "m0 (", own)
	select {
	case end := <-first.ended:
		t.Errorf("the member gave up with %v because of a stranger", end.err)
	default:
	}
	out, err := libp2p.New(libp2p.ListenAddrStrings("/ip4/127.0.0.1/tcp/0"), libp2p.DisableMetrics())
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	to, err := peer.AddrInfoFromString(stranger.Peers[0])
	if err != nil {
		t.Fatal(err)
	}
	gone := make(chan struct{})
	out.Network().Notify(&network.NotifyBundle{DisconnectedF: func(network.Network, network.Conn) { close(gone) }})
	if err := out.Connect(t.Context(), *to); err != nil {
		t.Fatal(err)
	}
	s, err := out.NewStream(t.Context(), to.ID, rendezvous.HelloProtocol)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Write([]byte{1}); err != nil || s.CloseWrite() != nil {
		t.Fatal(err)
	}
	nodetest.Receive(t, gone) // a stranger is disconnected after its hello
}

func identity(t *testing.T, c Config) peer.ID {
	t.Helper()
	id, err := Identity(c.Dir)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// With a list of members, Expect is not needed.
func TestListedMembers(t *testing.T) {
	t.Parallel()
	configs := testConfigs(t, 3)
	members := list(t, configs)
	nodes := startAll(t, configs...)
	for rank, n := range nodes {
		for i, m := range n.Members() {
			if m.Name != members[i].Name || m.ID != members[i].ID || len(m.Addrs) == 0 {
				t.Errorf("member %d has %v as member %d, want %v with addresses", rank, m, i, members[i])
			}
		}
	}
	finish(t, nodes)
}

func TestTimeoutNamesWhoIsMissing(t *testing.T) {
	a := testConfig(t, 0, 0)
	absent := testConfig(t, 1, 0)
	third := testConfig(t, 2, 0)
	for _, m := range []Config{a, absent, third} {
		a.Members = append(a.Members, Member{Name: m.Name, ID: identity(t, m)})
	}
	a.JoinTimeout = 200 * time.Millisecond
	end := join(t, a).wait(t)
	var e *JoinTimeoutError
	if !errors.As(end.err, &e) || len(e.Missing) != 2 || !strings.HasPrefix(e.Missing[0], "m1 ") || len(e.Present) != 1 {
		t.Errorf("got %v, want m1 and m2 to be missing", end.err)
	}
}

// begun returns the nodes of a run that all have signed and no node has prepared.
func begun(t *testing.T, configs ...Config) []*Node {
	t.Helper()
	processes := make([]*joiner, len(configs))
	for i := range configs {
		c := &configs[i]
		c.Log = nullLog
		if i > 0 {
			c.Peers = processes[0].host.Dialable()
		}
		var err error
		if processes[i], err = open(c); err != nil {
			t.Fatal(err)
		}
	}
	nodes, errs := make([]*Node, len(configs)), make([]error, len(configs))
	var done sync.WaitGroup
	for i, p := range processes {
		done.Go(func() {
			nodes[i], errs[i] = p.sign(t.Context())
		})
	}
	done.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	for _, n := range nodes {
		t.Cleanup(func() { n.Close() })
	}
	return nodes
}

// A timeout after the signatures also names the members that do not answer.
func TestTimeoutAfterSigningNamesMissingMembers(t *testing.T) {
	t.Parallel()
	nodes := begun(t, testConfigs(t, 3)...)
	const limit = 500 * time.Millisecond
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	err := nodes[0].prepare(ctx, nil)
	var e *JoinTimeoutError
	if err = nodes[0].late(ctx, limit, err); !errors.As(err, &e) || len(e.Missing) != 2 || !strings.HasPrefix(e.Missing[0], "m1 ") {
		t.Errorf("got %v, want m1 and m2 to be missing", err)
	}
	if err := nodes[0].late(ctx, 0, ctx.Err()); !errors.Is(err, ctx.Err()) {
		t.Errorf("the caller's own limit: got %v", err)
	}
}

// A member that gives up before the roster is signed leaves its place to the next process with
// its identity.
func TestGivingUpLeavesThePlace(t *testing.T) {
	t.Parallel()
	configs := testConfigs(t, 3)
	first := join(t, configs[0])
	addrs := nodetest.Receive(t, first.addrs)
	early := configs[1]
	early.Peers, early.JoinTimeout = addrs, 2*time.Second
	if end := join(t, early).wait(t); end.err == nil {
		t.Fatal("began with two of three")
	}
	late := []*joining{first}
	for _, c := range configs[1:] {
		c.Peers = addrs
		late = append(late, join(t, c))
	}
	for _, j := range late {
		if end := j.wait(t); end.err != nil {
			t.Error(end.err)
		}
	}
}
