package node

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/node/internal/nodetest"
)

func sum(ctx context.Context, n *Node) error {
	_, err := n.Sum(ctx, collabdict.Summand{Values: []float64{1, 2}, Blocks: []collabdict.Block{{Len: 2, Bound: 3}}})
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

// The others continue without a lost member, and know the members of each sum.
func TestTheOthersContinue(t *testing.T) {
	t.Parallel()
	nodes := startAll(t, testConfigs(t, 5)...)
	for _, err := range each(t, nodes, sum) {
		if err != nil {
			t.Fatal(err)
		}
	}
	nodes[2].Close() // like a crash: nothing is sent
	rest := without(nodes, 2)
	for _, r := range each(t, rest, func(ctx context.Context, n *Node) (r result) {
		n.StartRound(1, [32]byte{})
		r.values, r.err = n.Sum(ctx, collabdict.Summand{Values: []float64{1}, Blocks: []collabdict.Block{{Len: 1, Bound: 1}}})
		return r
	}) {
		if r.err != nil || math.Abs(r.values[0]-4) > 1e-6 {
			t.Fatalf("got %v, %v, want 4", r.values, r.err)
		}
	}
	for _, n := range rest {
		s := n.Status()
		if n.Membership().Size != 4 || !n.Membership().Included || len(s.Absent) != 1 || s.Absent[0].Name != "m2" || !strings.Contains(s.Absent[0].Reason, "nothing heard for") {
			t.Errorf("%s: %d members in the sum, status %+v", s.Name, n.Membership().Size, s)
		}
	}
	finish(t, rest)
}

// If too few members are left, the run waits for those that may come back, and names them.
func TestTooFewMembersPause(t *testing.T) {
	t.Parallel()
	nodes := startAll(t, testConfigs(t, 3)...)
	nodes[1].Leave("it was stopped by its operator")
	nodes[1].Close()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 2)
	for _, n := range without(nodes, 1) {
		go func() { ended <- sum(ctx, n) }()
	}
	waitFor(t, func() bool {
		for _, n := range without(nodes, 1) {
			if s := n.Status(); !s.Paused || s.Least != 3 || len(s.Absent) != 1 || s.Absent[0] != (Absent{"m1", "it was stopped by its operator", true}) {
				return false
			}
		}
		return true
	})
	cancel()
	for range 2 {
		if err := nodetest.Receive(t, ended); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want the call to wait until it is given up", err)
		}
	}
}

// waitFor waits until a condition holds.
func waitFor(t *testing.T, so func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(nodetest.Within)
	for !so() {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatal("the condition did not hold within", nodetest.Within)
		}
	}
}

func TestAbortIsNamedByAll(t *testing.T) {
	t.Parallel()
	nodes := startAll(t, testConfigs(t, 3)...)
	ended := make(chan error, 2)
	ctx, cancel := context.WithTimeout(context.Background(), nodetest.Within)
	defer cancel()
	for _, n := range without(nodes, 1) {
		go func() { ended <- sum(ctx, n) }()
	}
	nodes[1].Abort("the operator stopped it")
	for range 2 {
		// The other member's Leave, which repeats the reason, may arrive first.
		var lost *consensus.LostError
		if err := nodetest.Receive(t, ended); !errors.As(err, &lost) || lost.Names[0] != "m1" || lost.Reason != "the operator stopped it" {
			t.Errorf("got %v, want m1's reason", err)
		}
	}
	var own *consensus.AbortError
	if err := sum(ctx, nodes[1]); !errors.As(err, &own) {
		t.Errorf("the member that stopped got %v, want an AbortError", err)
	}
	if err := nodes[1].Finish(ctx); !errors.Is(err, ErrFailed) {
		t.Errorf("Finish after Abort: got %v, want ErrFailed", err)
	}
}

// A process that is restarted without the state of its run receives an error.
func TestAProcessThatHasLostItsState(t *testing.T) {
	t.Parallel()
	configs := testConfigs(t, 3)
	nodes := startAll(t, configs...)
	nodes[1].Close()
	again := configs[1]
	again.Dir = t.TempDir()
	key, err := os.ReadFile(filepath.Join(configs[1].Dir, identityFile))
	if err == nil {
		err = os.WriteFile(filepath.Join(again.Dir, identityFile), key, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	again.Peers = nodes[0].Addrs()
	end := join(t, again).wait(t)
	var roster *RosterError
	if !errors.As(end.err, &roster) || !strings.Contains(roster.Detail, "earlier process of this node") {
		t.Errorf("the new process got %v, want a RosterError", end.err)
	}
}

// A broken connection is made anew, and the run continues.
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

// The others wait, by name, for a member that reaches its end late: as long as they would
// during the run, and no longer than it needs.
func TestFinishWaitsForTheLast(t *testing.T) {
	t.Parallel()
	nodes := startAll(t, testConfigs(t, 3)...)
	ended := make(chan error, 2)
	for _, n := range without(nodes, 2) {
		go func() { ended <- n.Finish(t.Context()) }()
	}
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for _, n := range without(nodes, 2) {
		for s := n.Status(); s.State != "finished" || len(s.Waiting) != 1 || s.Waiting[0].Name != "m2"; s = n.Status() {
			nodetest.Receive(t, tick.C)
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
		if err := nodetest.Receive(t, ended); err != nil {
			t.Error(err)
		}
	}
	if took := time.Since(began); took > nodetest.Within/4 {
		t.Errorf("it took %s after the last member's end", took)
	}
}

// A member that has ended stays ended even if its earlier messages arrive later: the two planes
// do not keep their order.
func TestAnEndSurvivesEarlierMessages(t *testing.T) {
	t.Parallel()
	nodes := startAll(t, testConfigs(t, 3)...)
	nodes[2].cancel()
	slot := nodes[2].Status().Slot
	for _, n := range nodes[:2] {
		for _, state := range []consensus.State{consensus.Finished, consensus.Idle} {
			m, err := consensus.Validate(consensus.Message{Slot: slot, Body: &consensus.Heartbeat{State: state}}, len(nodes))
			if err != nil {
				t.Fatal(err)
			}
			n.loop.inbox.deliver(2, m)
		}
	}
	for _, err := range each(t, nodes[:2], func(ctx context.Context, n *Node) error { return n.Finish(ctx) }) {
		if err != nil {
			t.Error(err)
		}
	}
	for _, n := range nodes[:2] {
		if lost := n.loop.status.Load().machine.Lost; len(lost) > 0 {
			t.Errorf("%s has waited until it has lost %v", n.Status().Name, lost)
		}
	}
}

func TestFinishGivesUpALostMember(t *testing.T) {
	t.Parallel()
	nodes := startAll(t, testConfigs(t, 3)...)
	nodes[2].Close() // like a crash: nothing is sent
	for _, err := range each(t, without(nodes, 2), func(ctx context.Context, n *Node) error { return n.Finish(ctx) }) {
		if err != nil {
			t.Error(err)
		}
	}
	for _, n := range without(nodes, 2) {
		select {
		case <-n.loop.allEnded:
		default:
			t.Errorf("%s waited for the longest time", n.Status().Name)
		}
	}
}

// The others wait for a member whose loop works for longer than members may be silent.
func TestBusyMemberIsNotLost(t *testing.T) {
	simulate(t, 10*time.Millisecond, 20*megabit, func(t *testing.T, s *simulation) {
		nodes := s.start(t, s.configs(t, 3)...)
		ended := make(chan error, 2)
		for _, n := range nodes[1:] {
			go func() { ended <- sum(t.Context(), n) }()
		}
		busy := time.After(nodetest.Within / 2)
		if err := nodes[0].loop.do(t.Context(), func() error { <-busy; return nil }); err != nil {
			t.Fatal(err)
		}
		if err := sum(t.Context(), nodes[0]); err != nil {
			t.Error(err)
		}
		for range 2 {
			if err := nodetest.Receive(t, ended); err != nil {
				t.Error(err)
			}
		}
	})
}
