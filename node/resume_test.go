package node

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/consensus"
)

// script is a learner that makes a Gather, and Sums in rounds, and remembers the
// totals. The vector of member s in round r is (s+1)·r.
type script struct {
	totals []float64
	rounds int
}

func (l *script) Start(ctx context.Context, g collabdict.Group) error {
	_, err := g.Gather(ctx, []byte("start"))
	return err
}

func (l *script) run(ctx context.Context, n *Node, onRound func(round int)) error {
	if err := l.Start(ctx, n); err != nil {
		return err
	}
	for r := 1; r <= l.rounds; r++ {
		n.StartRound(r)
		total, missed := n.Missed()
		if !missed {
			var err error
			if total, err = n.Sum(ctx, []float64{float64((n.Self() + 1) * r)}, []collabdict.Block{{Len: 1, Bound: 1000}}); err != nil {
				return fmt.Errorf("round %d: %w", r, err)
			}
		}
		l.totals = append(l.totals, total[0])
		if onRound != nil {
			onRound(r)
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

// A process that ends without a word in the middle of a run and is started again in
// its folder, on other ports, goes on with the run: all come to the same end.
func TestAMemberComesBack(t *testing.T) {
	t.Parallel()
	const size, rounds = 5, 24
	configs := testConfigs(t, size)
	nodes := startAll(t, configs...)
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	scripts := make([]script, size)
	errs := make([]error, size)
	gone := make(chan struct{})
	hold := make(chan struct{}) // until the new process is there
	var running, there sync.WaitGroup
	there.Add(size - 1)
	for s, n := range nodes {
		scripts[s].rounds = rounds
		running.Go(func() {
			errs[s] = scripts[s].run(ctx, n, func(round int) {
				switch {
				case s == 2 && round == 5:
					n.Close() // without a word
					close(gone)
				case s != 2 && round == 12:
					there.Done()
					<-hold
				case s != 2 && round > 12:
					time.Sleep(2 * configs[s].Beat) // as a local update takes, so that the member is heard of
				}
			})
		})
	}
	<-gone
	there.Wait()
	again := configs[2]
	again.Peers = nil // it knows the others' addresses
	back := join(t, again)
	end := back.wait(t)
	if end.err != nil {
		t.Fatal(end.err)
	}
	close(hold)
	rejoined := script{rounds: rounds}
	if err := rejoined.run(ctx, end.node, nil); err != nil {
		t.Fatal(err)
	}
	running.Wait()
	if !errors.Is(errs[2], ErrClosed) {
		t.Errorf("the process that was ended got %v", errs[2])
	}
	want := scripts[0].totals
	if !slices.Equal(rejoined.totals, want) || !slices.Equal(rejoined.totals[:5], scripts[2].totals[:5]) {
		t.Errorf("the member that came back holds %v, another %v", rejoined.totals, want)
	}
	if want[3] != want[3] || math.Abs(want[3]-15*4) > 1e-3 || math.Abs(want[8]-12*9) > 1e-3 || math.Abs(want[rounds-1]-15*rounds) > 1e-3 {
		t.Errorf("totals %v: want 15 a round with all members, 12 without m2", want)
	}
	nodes[2] = end.node
	for s, n := range nodes {
		if errs[s] != nil && s != 2 {
			t.Errorf("member %d: %v", s, errs[s])
		}
		if !slices.Equal(digests(t, n), digests(t, nodes[0])) {
			t.Errorf("member %d has decided otherwise", s)
		}
	}
	finish(t, nodes)
}

// All processes of a run may be ended and started again: nothing is lost.
func TestAllMembersComeBack(t *testing.T) {
	t.Parallel()
	configs := testConfigs(t, 3)
	var before []*Node
	for part := range 3 {
		nodes := startAll(t, configs...)
		if part > 0 && nodes[0].RunID() != before[0].RunID() {
			t.Fatal("another run was begun")
		}
		for s, err := range each(t, nodes, func(ctx context.Context, n *Node) error {
			l := script{rounds: 2 * (part + 1)}
			err := l.run(ctx, n, nil)
			if err != nil {
				t.Logf("%+v", n.Status())
			}
			if err == nil && math.Abs(l.totals[len(l.totals)-1]-float64(6*l.rounds)) > 1e-3 {
				err = fmt.Errorf("totals %v", l.totals)
			}
			return err
		}) {
			if err != nil {
				t.Fatalf("member %d: %v", s, err)
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
	nodes := startAll(t, configs...) // the run is over, so this is another
	if nodes[0].RunID() == before[0].RunID() {
		t.Error("the run that had ended was gone on with")
	}
}

// A process that comes back after the others have finished is told so, and begins
// anew the next time.
func TestTheRunIsOver(t *testing.T) {
	t.Parallel()
	configs := testConfigs(t, 5)
	nodes := startAll(t, configs...)
	nodes[4].Close() // without a word
	finish(t, without(nodes, 4))
	var all []*joining
	all = append(all, join(t, configs[0])) // for another run
	addrs := receive(t, all[0].addrs)
	late := configs[4]
	late.Peers = addrs
	var over *OverError
	if end := join(t, late).wait(t); !errors.As(end.err, &over) {
		t.Fatalf("got %v, want an OverError", end.err)
	}
	for _, c := range append(slices.Clone(configs[1:4]), late) {
		c.Peers = addrs
		all = append(all, join(t, c))
	}
	for _, j := range all {
		if end := j.wait(t); end.err != nil {
			t.Error(end.err)
		}
	}
}
