package node

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus"
)

type result struct {
	values []float64
	blobs  [][]byte
	err    error
}

// Sums and gathers are right, and have the same bits at all members.
func TestCollectives(t *testing.T) {
	t.Parallel()
	for _, size := range []int{2, 3, 5} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			configs := testConfigs(t, size)
			if size == 2 { // with two members, each learns the other's vector anyway
				for i := range configs {
					configs[i].Settings.Protect = chunking.None
				}
			}
			nodes := startAll(t, configs...)
			const length = 300
			want := make([]float64, length)
			x := make([][]float64, size)
			for s := range x {
				x[s] = make([]float64, length)
				for i := range want {
					x[s][i] = math.Sin(float64(7*s + i))
					want[i] += x[s][i]
				}
			}
			for round := 1; round <= 3; round++ {
				sums := each(t, nodes, func(ctx context.Context, n *Node) (r result) {
					n.StartRound(round, [32]byte{})
					r.values, r.err = n.Sum(ctx, collabdict.Summand{Values: x[n.Self()], Blocks: []collabdict.Block{{Len: length, Bound: 1}}})
					return r
				})
				for s, r := range sums {
					if r.err != nil {
						t.Fatal(r.err)
					}
					for i, v := range r.values {
						if math.Abs(v-want[i]) > 1e-6 || v != sums[0].values[i] {
							t.Fatalf("round %d, member %d, value %d: got %g, member 0 %g, want %g", round, s, i, v, sums[0].values[i], want[i])
						}
					}
				}
			}
			gathers := each(t, nodes, func(ctx context.Context, n *Node) (r result) {
				r.blobs, r.err = n.Gather(ctx, "test", []byte(nodes[n.Self()].Members()[n.Self()].Name))
				return r
			})
			for s, r := range gathers {
				if r.err != nil {
					t.Fatal(r.err)
				}
				for from, b := range r.blobs {
					if want := fmt.Sprintf("m%d", from); !bytes.Equal(b, []byte(want)) {
						t.Errorf("member %d holds %q of member %d, want %q", s, b, from, want)
					}
				}
			}
			checkStatus(t, nodes, 3)
			finish(t, nodes)
		})
	}
}

func checkStatus(t *testing.T, nodes []*Node, rounds int) {
	t.Helper()
	for rank, n := range nodes {
		s := n.Status()
		if s.Slot != uint64(2+rounds+1) || s.SetupSlots != 2 || s.LastIterations != s.Predicted || s.LastIterations == 0 {
			t.Errorf("member %d: slot %d, %d at start-up, %d iterations of %d predicted", rank, s.Slot, s.SetupSlots, s.LastIterations, s.Predicted)
		}
		if s.Traffic.BytesSent <= s.Traffic.DataBytesSent || s.Traffic.DataBytesSent == 0 || s.Traffic.MessagesSent == 0 || s.Traffic.MessagesReceived == 0 {
			t.Errorf("member %d: traffic %+v", rank, s.Traffic)
		}
		if n.RunID() != nodes[0].RunID() || s.LastDigest != nodes[0].Status().LastDigest {
			t.Errorf("member %d has another run or digest than member 0", rank)
		}
		if names := n.members.Load().Names(); !slices.IsSorted(names) || len(names) != len(nodes) {
			t.Errorf("member %d: names %v", rank, names)
		}
		slots := 0
		if err := n.Decisions(func(d *consensus.Decision) error {
			if d.Slot != uint64(slots) || len(d.Members) != len(nodes) || d.Certificate == nil {
				return fmt.Errorf("slot %d after %d, with members %v", d.Slot, slots, d.Members)
			}
			slots++
			return nil
		}); err != nil || slots != 2+rounds+1 {
			t.Errorf("member %d: %d decisions, %v", rank, slots, err)
		}
	}
}

// finish ends a run as planned: no member may miss another's last vote.
func finish(t *testing.T, nodes []*Node) {
	t.Helper()
	for s, err := range each(t, nodes, func(ctx context.Context, n *Node) error {
		if err := n.Finish(ctx); err != nil {
			return err
		}
		select {
		case <-n.loop.allEnded:
		default:
			return fmt.Errorf("%s went before the others had ended", n.Status().Name)
		}
		return n.Close()
	}) {
		if err != nil {
			t.Errorf("member %d: %v", s, err)
		}
	}
}
