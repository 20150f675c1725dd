package node

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/node/internal/nodetest"
)

// A script is a learner that makes a Gather, and Sums in rounds, and remembers the totals. The
// vector of member s in round r is (s+1)·r.
type script struct {
	totals []float64
	rounds int    // at most
	update func() // a local update, if it takes time; missed rounds have none
	shared bool   // decided rounds have no update either
	whole  bool   // ends when two sums in a row have all members again, after sums with fewer
	sizes  []int  // of the views
}

func (l *script) Start(ctx context.Context, g collabdict.Group) error {
	_, err := g.Gather(ctx, "test", []byte("start"))
	return err
}

func (l *script) run(ctx context.Context, n *Node, onRound func(round int)) error {
	if err := l.Start(ctx, n); err != nil {
		return err
	}
	for r := 1; r <= l.rounds; r++ {
		n.StartRound(r, [32]byte{})
		known := n.TakeMissed
		if l.shared {
			known = n.TakeDecided
		}
		total, ok := known()
		if !ok {
			if l.update != nil {
				l.update()
			}
			var err error
			if total, err = n.Sum(ctx, collabdict.Summand{Values: []float64{float64((n.Self() + 1) * r)}, Blocks: []collabdict.Block{{Len: 1, Bound: 1 << 20}}}); err != nil {
				return fmt.Errorf("round %d: %w", r, err)
			}
		}
		l.totals, l.sizes = append(l.totals, total[0]), append(l.sizes, n.Membership().Size)
		if onRound != nil {
			onRound(r)
		}
		if all := len(n.Members()); l.whole && r > 2 && slices.Min(l.sizes) < all && l.sizes[r-1] == all && l.sizes[r-2] == all {
			break
		}
	}
	return nil
}

// digests returns the digests of all decisions of a run.
func digests(t *testing.T, n *Node) (all [][32]byte) {
	t.Helper()
	if err := n.Decisions(func(d *consensus.Decision) error { all = append(all, d.Chain); return nil }); err != nil {
		t.Fatal(err)
	}
	return all
}

// A process is killed in the middle of a run and restarted in its folder, on another port. It
// resumes the run, and all end with the same result.
func TestAMemberComesBack(t *testing.T) {
	const size, rounds = 5, 40
	simulate(t, 50*time.Millisecond, 20*megabit, func(t *testing.T, s *simulation) {
		configs := s.configs(t, size)
		secretly(configs, shared) // the secret, which the new process proves again
		nodes := s.start(t, configs...)
		learners := learn(t, rounds, nodes...)
		waitFor(t, func() bool {
			st := nodes[2].Status()
			return st.Round == 2 && st.State == consensus.Session.String()
		})
		nodes[2].Close() // like a crash: nothing is sent
		if err := <-learners[2].ended; !errors.Is(err, ErrClosed) {
			t.Errorf("the process that was ended got %v", err)
		}
		waitFor(t, func() bool { return nodes[0].Status().Round == 4 })
		if absent := nodes[0].Status().Absent; len(absent) != 1 || absent[0].Name != "m2" {
			t.Errorf("absent: %+v", absent)
		}
		s.Place(&configs[2], 2, 1) // it knows the others' addresses
		end := join(t, configs[2]).wait(t)
		if end.err != nil {
			t.Fatal(end.err)
		}
		nodes[2], learners[2] = end.node, learn(t, rounds, end.node)[0]
		waitForAll(t, learners)
		checkViews(t, nodes, []string{"01234", "0134", "01234"})
		finish(t, nodes)
	})
}

// All processes of a run may be killed and restarted: nothing is lost, and decided rounds need
// no second update.
func TestAllMembersComeBack(t *testing.T) {
	simulate(t, 20*time.Millisecond, 20*megabit, func(t *testing.T, s *simulation) {
		const size = 3
		configs := s.configs(t, size)
		var before []*Node
		for part := range 3 {
			for i := range configs {
				s.Place(&configs[i], i, part)
			}
			nodes := s.start(t, configs...)
			if part > 0 && nodes[0].RunID() != before[0].RunID() {
				t.Fatal("another run was begun")
			}
			for rank, err := range each(t, nodes, func(ctx context.Context, n *Node) error {
				updates := 0
				l := script{rounds: 2 * (part + 1), shared: true, update: func() { updates++ }}
				err := l.run(ctx, n, nil)
				if err == nil && (l.totals[len(l.totals)-1] != float64(6*l.rounds) || updates != 2) {
					err = fmt.Errorf("totals %v after %d updates", l.totals, updates)
				}
				return err
			}) {
				if err != nil {
					t.Fatalf("member %d: %v, status %+v", rank, err, nodes[rank].Status())
				}
			}
			if part == 2 {
				finish(t, nodes)
				break
			}
			for _, n := range nodes {
				n.Leave("it was stopped by its operator")
				n.Close()
			}
			before = nodes
		}
		nodes := s.start(t, configs...) // the earlier run is over, so this is a new one
		if nodes[0].RunID() == before[0].RunID() {
			t.Error("the run that had ended was resumed")
		}
	})
}

// A process that comes back after the others have finished receives an error once two members
// report it. The next time it begins a new run.
func TestTheRunIsOver(t *testing.T) {
	t.Parallel()
	configs := testConfigs(t, 5)
	nodes := startAll(t, configs...)
	nodes[4].Close() // like a crash: nothing is sent
	finish(t, without(nodes, 4))
	var all []*joining
	all = append(all, join(t, configs[0])) // for another run
	addrs := nodetest.Receive(t, all[0].addrs)
	late := configs[4]
	late.Peers = addrs
	lines := logged(&late)
	back := join(t, late)
	back.hears(t, lines, "level=WARN", "a member reports that the run is over", "m0 (")
	for _, c := range configs[1:4] {
		c.Peers = addrs
		all = append(all, join(t, c))
	}
	var over *OverError
	if end := back.wait(t); !errors.As(end.err, &over) {
		t.Fatalf("got %v, want an OverError", end.err)
	}
	all = append(all, join(t, late))
	for _, j := range all {
		if end := j.wait(t); end.err != nil {
			t.Error(end.err)
		}
	}
}
