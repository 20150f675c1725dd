package node

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus"
)

func sum(ctx context.Context, n *Node) error {
	_, err := n.Sum(ctx, []float64{1, 2}, []collabdict.Block{{Len: 2, Bound: 3}})
	return err
}

// without returns all nodes but one.
func without(nodes []*Node, rank int) (rest []*Node) {
	for _, n := range nodes {
		if n.Self() != rank {
			rest = append(rest, n)
		}
	}
	return rest
}

func TestLostMemberIsNamedByAll(t *testing.T) {
	t.Parallel()
	configs := testConfigs(t, 4)
	for i := range configs {
		configs[i].Beat, configs[i].Lost = 100*time.Millisecond, 2*time.Second
	}
	nodes := startAll(t, configs...)
	for _, err := range each(t, nodes, sum) {
		if err != nil {
			t.Fatal(err)
		}
	}
	nodes[2].Close() // without a word
	began := time.Now()
	for _, err := range each(t, without(nodes, 2), func(ctx context.Context, n *Node) error {
		err := sum(ctx, n)
		return errors.Join(err, n.Close())
	}) {
		var lost *consensus.LostError
		if !errors.As(err, &lost) || len(lost.Names) != 1 || lost.Names[0] != "m2" {
			t.Errorf("got %v, want m2 to be lost", err)
		}
	}
	if took := time.Since(began); took > within/2 {
		t.Errorf("it took %s", took)
	}
}

func TestAbortIsNamedByAll(t *testing.T) {
	t.Parallel()
	nodes := startAll(t, testConfigs(t, 3)...)
	ended := make(chan error, 2)
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	for _, n := range without(nodes, 1) {
		go func() { ended <- sum(ctx, n) }()
	}
	nodes[1].Abort("the operator stopped it")
	for range 2 {
		// The other one's Leave, which repeats the reason, may come first.
		var lost *consensus.LostError
		if err := receive(t, ended); !errors.As(err, &lost) || lost.Names[0] != "m1" || lost.Reason != "the operator stopped it" {
			t.Errorf("got %v, want m1's reason", err)
		}
	}
	var own *consensus.AbortError
	if err := sum(ctx, nodes[1]); !errors.As(err, &own) {
		t.Errorf("the one that stopped got %v, want an AbortError", err)
	}
	if err := nodes[1].Finish(ctx); !errors.Is(err, ErrFailed) {
		t.Errorf("Finish after Abort: got %v, want ErrFailed", err)
	}
}

// A process started again during the run is told so, and the run goes on to find
// the old one lost.
func TestRestartedProcessIsNotOfTheRun(t *testing.T) {
	t.Parallel()
	configs := testConfigs(t, 3)
	for i := range configs {
		configs[i].Beat, configs[i].Lost = 100*time.Millisecond, 2*time.Second
	}
	nodes := startAll(t, configs...)
	nodes[1].Close()
	again := configs[1]
	again.Peers = nodes[0].Addrs()
	end := join(t, again).wait(t)
	var roster *RosterError
	if !errors.As(end.err, &roster) || !strings.Contains(roster.Detail, "earlier process of this node") {
		t.Errorf("the new process got %v, want a RosterError", end.err)
	}
	for _, err := range each(t, without(nodes, 1), sum) {
		var lost *consensus.LostError
		if !errors.As(err, &lost) || lost.Names[0] != "m1" {
			t.Errorf("got %v, want the old m1 to be lost", err)
		}
	}
}

// A connection that breaks is made anew, and the run goes on.
func TestBrokenConnectionsAreMended(t *testing.T) {
	t.Parallel()
	nodes := startAll(t, testConfigs(t, 3)...)
	for range 3 {
		for _, n := range nodes {
			for _, m := range nodes {
				n.host.Network().ClosePeer(m.host.ID())
			}
		}
		for _, err := range each(t, nodes, sum) {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	finish(t, nodes)
}

func TestMethodsAfterTheEnd(t *testing.T) {
	t.Parallel()
	nodes := startAll(t, testConfigs(t, 3)...)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := sum(ctx, nodes[0]); !errors.Is(err, context.Canceled) && err != nil {
		t.Errorf("cancelled: got %v", err)
	}
	for _, n := range nodes {
		n.Close()
		if err := n.Close(); err != nil {
			t.Errorf("second Close: %v", err)
		}
		if err := sum(context.Background(), n); !errors.Is(err, ErrClosed) {
			t.Errorf("Sum after Close: got %v, want ErrClosed", err)
		}
		n.Abort("too late")
		if s := n.Status(); s.Name == "" {
			t.Errorf("no status after Close: %+v", s)
		}
	}
}

// A member that comes late to its end is waited for by name, as long as it would
// be in the run, and not a moment longer than it takes.
func TestFinishWaitsForTheLast(t *testing.T) {
	t.Parallel()
	configs := testConfigs(t, 3)
	for i := range configs {
		configs[i].Lost = 20 * time.Second
	}
	nodes := startAll(t, configs...)
	ended := make(chan error, 2)
	for _, n := range without(nodes, 2) {
		go func() { ended <- n.Finish(t.Context()) }()
	}
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for _, n := range without(nodes, 2) {
		for s := n.Status(); s.State != "finished" || len(s.Waiting) != 1 || s.Waiting[0].Name != "m2"; s = n.Status() {
			receive(t, tick.C)
		}
	}
	select {
	case err := <-ended:
		t.Fatalf("ended without the last member, %v", err)
	default:
	}
	began := time.Now()
	if err := nodes[2].Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := receive(t, ended); err != nil {
			t.Error(err)
		}
	}
	if took := time.Since(began); took > within/4 {
		t.Errorf("it took %s after the last member's end", took)
	}
}

func TestFinishGivesALostMemberUp(t *testing.T) {
	t.Parallel()
	configs := testConfigs(t, 3)
	for i := range configs {
		configs[i].Beat, configs[i].Lost = 100*time.Millisecond, 2*time.Second
	}
	nodes := startAll(t, configs...)
	nodes[2].Close() // without a word
	began := time.Now()
	for _, err := range each(t, without(nodes, 2), func(ctx context.Context, n *Node) error { return n.Finish(ctx) }) {
		if err != nil {
			t.Error(err)
		}
	}
	if took := time.Since(began); took < configs[0].Lost || took > within/2 {
		t.Errorf("it took %s, want about %s", took, configs[0].Lost)
	}
}

func TestFinishLingersAsLongAsMembersMayBeSilent(t *testing.T) {
	for lost, want := range map[time.Duration]time.Duration{0: 20 * time.Second, 7 * time.Second: 7 * time.Second} {
		configs := testConfigs(t, 2)
		for i := range configs {
			configs[i].Lost, configs[i].Settings.Protect = lost, chunking.None
		}
		if got := begun(t, configs...)[0].linger; got != want {
			t.Errorf("lost after %v: lingers for %v, want %v", lost, got, want)
		}
	}
}

// A member whose loop is at work for longer than members may be silent is waited
// for.
func TestBusyMemberIsNotLost(t *testing.T) {
	t.Parallel()
	configs := testConfigs(t, 3)
	for i := range configs {
		configs[i].Beat, configs[i].Lost = 100*time.Millisecond, 2*time.Second
	}
	nodes := startAll(t, configs...)
	ended := make(chan error, 2)
	for _, n := range nodes[1:] {
		go func() { ended <- sum(t.Context(), n) }()
	}
	busy := time.After(4 * time.Second)
	if _, err := nodes[0].loop.ask(t.Context(), &request{do: func(*consensus.Machine) { <-busy }}); err != nil {
		t.Fatal(err)
	}
	if err := sum(t.Context(), nodes[0]); err != nil {
		t.Error(err)
	}
	for range 2 {
		if err := receive(t, ended); err != nil {
			t.Error(err)
		}
	}
}
