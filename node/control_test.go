package node

import (
	"context"
	"testing"
	"time"

	"github.com/collabdict/collabdict"
)

// In a small run, what a member sends beside its streams of data is little more than its own control
// messages, to each member: the mesh adds few copies.
func TestControlBytes(t *testing.T) {
	const size, length = 16, 256
	simulate(t, 10*time.Millisecond, 100*megabit, func(t *testing.T, s *simulation) {
		nodes := s.start(t, s.configs(t, size)...)
		before := controlBytes(nodes)
		for rank, err := range each(t, nodes, func(ctx context.Context, n *Node) error {
			pass(5 * time.Second)
			_, err := n.Sum(ctx, collabdict.Summand{Values: make([]float64, length), Blocks: []collabdict.Block{{Len: length, Bound: 1}}})
			return err
		}) {
			if err != nil {
				t.Fatalf("member %d: %v", rank, err)
			}
		}
		if bytes := (controlBytes(nodes) - before) / size; bytes > 200_000 { // 350,000 with the mesh of larger runs
			t.Errorf("a member sends %d control bytes in 5 s and for a sum", bytes)
		}
		finish(t, nodes)
	})
}

// controlBytes returns what nodes have sent beside their streams of data.
func controlBytes(nodes []*Node) (sum uint64) {
	for _, n := range nodes {
		t := n.Traffic()
		sum += t.BytesSent - t.DataBytesSent
	}
	return sum
}
