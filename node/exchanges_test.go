package node

import (
	"context"
	"slices"
	"testing"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/consensus/session"
)

// After a sum, the status still has the pairs of members that exchanged vectors in it.
func TestTheStatusHasTheEdgesOfASum(t *testing.T) {
	t.Parallel()
	nodes := startAll(t, testConfigs(t, 3)...)
	for _, err := range each(t, nodes, func(ctx context.Context, n *Node) error {
		n.StartRound(1, [32]byte{})
		_, err := n.Sum(ctx, collabdict.Summand{Values: []float64{1, -1}, Blocks: []collabdict.Block{{Len: 2, Bound: 1}}})
		return err
	}) {
		if err != nil {
			t.Fatal(err)
		}
	}
	want := []Exchange{{"m0", "m1"}, {"m0", "m2"}, {"m1", "m2"}} // a small graph is complete
	for _, n := range nodes {
		got := n.Status().Edges
		for i, e := range got { // names have no order of ranks
			got[i] = Exchange{min(e.A, e.B), max(e.A, e.B)}
		}
		slices.SortFunc(got, func(a, b Exchange) int { return slices.Compare([]string{a.A, a.B}, []string{b.A, b.B}) })
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", n.Status().Name, got, want)
		}
	}
}

func TestEdgesAreThoseOfThePresentOrTheLastSession(t *testing.T) {
	circulant := func(size int) session.Plan {
		p, err := session.NewCirculant(size, chunking.Ring)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	four := circulant(4) // each hears those one and two places away
	ranks := make([]int, mostDrawn+1)
	for i := range ranks {
		ranks[i] = i
	}
	var x exchanges
	for _, c := range []struct {
		name string
		s    consensus.Status
		want int
	}{
		{"before the first session", consensus.Status{}, 0},
		{"in a session", consensus.Status{Slot: 1, Plan: four, Seats: [][]int{{4, 2, 0, 7}}}, 6},
		{"after it", consensus.Status{Slot: 2}, 6},
		{"in a session of two lanes", consensus.Status{Slot: 2, Plan: circulant(3), Seats: [][]int{{0, 1, 2}, {2, 0, 1}}}, 3},
		{"of the most members", consensus.Status{Slot: 3, Plan: circulant(mostDrawn), Seats: [][]int{ranks[:mostDrawn]}}, 1500}, // of 8 skips each; the last leads to the same pair from both ends
		{"of more", consensus.Status{Slot: 4, Plan: circulant(mostDrawn + 1), Seats: [][]int{ranks}}, 0},
	} {
		got := x.next(c.s)
		if len(got) != c.want {
			t.Errorf("%s: got %d edges, want %d", c.name, len(got), c.want)
		}
		if slices.ContainsFunc(got, func(e [2]int) bool { return e[0] >= e[1] }) {
			t.Errorf("%s: got %v, want the smaller rank first", c.name, got)
		}
	}
	x.next(consensus.Status{Slot: 5, Plan: four, Seats: [][]int{{0, 1, 2, 3}}})
	if again := x.next(consensus.Status{Slot: 6, Plan: four, Seats: [][]int{{3, 5, 6, 7}}}); again[0] != [2]int{3, 5} {
		t.Errorf("got %v, want the places of the new session", again)
	}
}
