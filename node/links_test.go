package node

import (
	"cmp"
	"context"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/consensus"
)

// Sums over links with latency are exact, and take little longer than the packets' travel time.
func TestSumsOverLinks(t *testing.T) {
	const size, rounds, latency = 5, 5, 50 * time.Millisecond
	simulate(t, latency, 20*megabit, func(t *testing.T, s *simulation) {
		nodes := s.start(t, s.configs(t, size)...)
		for round := 1; round <= rounds; round++ {
			// Seeds, two steps, votes and pads.
			if took := sums(t, nodes, round, 300); took < 5*latency || took > 6*latency {
				t.Errorf("round %d took %s, want 5 packets one after the other of %s each", round, took, latency)
			}
		}
		checkLogs(t, nodes, 2+rounds)
		finish(t, nodes)
	})
}

// More hosts, on links where the transfer of a vector takes longer than the latency.
func TestSumsOverSlowLinks(t *testing.T) {
	const (
		rounds, length = 2, 2500
		latency, bits  = 100 * time.Millisecond, megabit * 3 / 2
		vector         = 64 * length * time.Second / bits
	)
	size, err := strconv.Atoi(cmp.Or(os.Getenv("COLLABDICT_HOSTS"), strconv.Itoa(manyHosts)))
	if err != nil {
		t.Fatal("COLLABDICT_HOSTS: want a number, got", err)
	}
	t.Logf("%d hosts; COLLABDICT_HOSTS=20 takes more", size)
	simulate(t, latency, bits, func(t *testing.T, s *simulation) {
		nodes := s.start(t, s.configs(t, size)...)
		for round := 1; round <= rounds; round++ {
			// Each member must receive all vectors, summed or not.
			if took := sums(t, nodes, round, length); took < 5*latency+vector || took > 10*time.Second {
				t.Errorf("round %d took %s, want at least 5 packets one after the other of %s each, and %s for a vector", round, took, latency, vector)
			}
		}
		checkLogs(t, nodes, 2+rounds)
		finish(t, nodes)
	})
}

// sums makes a sum of vectors of the given length at every node, and returns the time. The
// values are whole numbers, so the total is exact.
func sums(t *testing.T, nodes []*Node, round, length int) time.Duration {
	t.Helper()
	value := func(member, i int) float64 { return float64((member+1)*(i%1000+1) - 3*round) }
	began := time.Now()
	for rank, r := range each(t, nodes, func(ctx context.Context, n *Node) (r result) {
		x := make([]float64, length)
		for i := range x {
			x[i] = value(n.Self(), i)
		}
		n.StartRound(round, [32]byte{})
		r.values, r.err = n.Sum(ctx, collabdict.Summand{Values: x, Blocks: []collabdict.Block{{Len: length, Bound: 1 << 20}}})
		return r
	}) {
		if r.err != nil {
			t.Fatalf("round %d, member %d: %v", round, rank, r.err)
		}
		for i, got := range r.values {
			var want float64
			for _, n := range nodes {
				want += value(n.Self(), i)
			}
			if got != want {
				t.Fatalf("round %d, member %d, value %d: got %v, want %v", round, rank, i, got, want)
			}
		}
	}
	return time.Since(began)
}

// checkLogs asserts that all nodes have decided the same slots, each with all members.
func checkLogs(t *testing.T, nodes []*Node, slots int) {
	t.Helper()
	want := digests(t, nodes[0])
	if len(want) != slots {
		t.Errorf("%d slots are decided, want %d", len(want), slots)
	}
	for rank, n := range nodes {
		if !slices.Equal(digests(t, n), want) {
			t.Errorf("member %d has decided differently", rank)
		}
		if err := n.Decisions(func(d *consensus.Decision) error {
			if len(d.Members) != len(nodes) {
				t.Errorf("member %d, slot %d: members %v", rank, d.Slot, d.Members)
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
	}
}
