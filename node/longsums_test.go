package node

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/consensus/session"
	"github.com/collabdict/collabdict/internal/testkit"
)

// A round of a long sum may take longer on a slow link than a session may stand still: vectors
// that arrive in parts count as progress, and one ballot is enough.
func TestLongSumsOverSlowLinks(t *testing.T) {
	testkit.SkipRaced(t) // TestAMemberLostInALongSum has the same goroutines
	const size, length, bits, interval = 4, 300_000, megabit, time.Second / 4
	simulate(t, 50*time.Millisecond, bits, func(t *testing.T, s *simulation) {
		configs := s.configs(t, size)
		for i := range configs {
			configs[i].Heartbeat = interval
		}
		nodes := s.start(t, configs...)
		round := 64 * length / 2 * time.Second / bits
		if took := sums(t, nodes, 1, length); took < 2*round || round < 30*interval {
			t.Errorf("took %s, and the longest round at least %s", took, round)
		}
		checkLogs(t, nodes, 3)
		if err := nodes[0].Decisions(func(d *consensus.Decision) error {
			if d.Cost.Ballot > 0 {
				t.Errorf("slot %d took ballot %d", d.Slot, d.Cost.Ballot)
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
		finish(t, nodes)
	})
}

// The others continue without a member that is lost in the middle of a long sum, as in a short
// one.
func TestAMemberLostInALongSum(t *testing.T) {
	const size, length, bits = 5, 250_000, 2 * megabit
	simulate(t, 50*time.Millisecond, bits, func(t *testing.T, s *simulation) {
		nodes := s.start(t, s.configs(t, size)...)
		go func() {
			pass(3 * time.Second) // of about ten
			if c := nodes[0].Status().Come; c.Frames == 0 || c.Frames >= c.FramesInAll || c.Bytes < 8*session.PartWords || c.BytesInAll < 2*8*length/size {
				t.Errorf("in the middle of a sum, %+v has arrived", c)
			}
			nodes[size-1].Close()
		}()
		for rank, r := range each(t, nodes, func(ctx context.Context, n *Node) (r result) {
			n.StartRound(1, [32]byte{})
			x := make([]float64, length)
			x[length-1] = 1
			r.values, r.err = n.Sum(ctx, collabdict.Summand{Values: x, Blocks: []collabdict.Block{{Len: length, Bound: 1}}})
			return r
		})[:size-1] {
			if r.err != nil {
				t.Fatalf("member %d: %v", rank, r.err)
			}
			if got := r.values[length-1]; got != size-1 {
				t.Errorf("member %d has the sum of %v, want %d", rank, got, size-1)
			}
		}
		finish(t, nodes[:size-1])
	})
}

// A sum continues after its caller has stopped waiting, with the values of the call.
func TestASumContinuesWithoutItsCaller(t *testing.T) {
	const size = 3
	nodes := startAll(t, testConfigs(t, size)...)
	blocks := []collabdict.Block{{Len: 1, Bound: 1}}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	x := []float64{1}
	if _, err := nodes[0].Sum(ctx, collabdict.Summand{Values: x, Blocks: blocks}); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("got %v before the others have called", err)
	}
	x[0] = -1
	for _, r := range each(t, nodes[1:], func(ctx context.Context, n *Node) (r result) {
		r.values, r.err = n.Sum(ctx, collabdict.Summand{Values: []float64{1}, Blocks: blocks})
		return r
	}) {
		if r.err != nil || math.Abs(r.values[0]-size) > 1e-6 {
			t.Errorf("got %v, %v, want %d", r.values, r.err, size)
		}
	}
}

// A call that an amendment of the roster precedes is repeated after the amendment, with its own
// values, even if its caller has stopped waiting.
func TestASumIsRepeatedWithoutItsCaller(t *testing.T) {
	const size = 3
	nodes := startAll(t, testConfigs(t, size)...)
	sum := func(ctx context.Context, n *Node, x []float64) (r result) {
		n.StartRound(1, [32]byte{})
		r.values, r.err = n.Sum(ctx, collabdict.Summand{Values: x, Blocks: []collabdict.Block{{Len: 1, Bound: 1}}})
		return r
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	x := []float64{1}
	if r := sum(ctx, nodes[0], x); !errors.Is(r.err, context.DeadlineExceeded) {
		t.Fatalf("got %v before the others have called", r.err)
	}
	x[0] = -1
	for _, n := range nodes {
		if err := n.Change([]Change{{}}); err != nil {
			t.Fatal(err)
		}
	}
	waitFor(t, func() bool { return len(nodes[0].members.Load().Amendments) == 1 })
	for _, r := range each(t, nodes[1:], func(ctx context.Context, n *Node) result { return sum(ctx, n, []float64{1}) }) {
		if r.err != nil || math.Abs(r.values[0]-size) > 1e-6 {
			t.Errorf("got %v, %v, want %d", r.values, r.err, size)
		}
	}
}

// A message that is already queued for a member is not read from the disk again if the member
// asks again.
func TestQueuedMessagesAreNotServedAgain(t *testing.T) {
	n := holding{t: t, held: map[consensus.Message]bool{}}
	l := &loop{loopConfig: loopConfig{network: n}} // without a state
	l.help(consensus.Serve{To: 1, Slot: 5, Ballot: 2, Entry: consensus.EntrySealed + "2"})
	l.help(consensus.Serve{To: 1, Slot: 3})
	if !n.held[consensus.Message{Slot: 5, Ballot: 2}] || !n.held[consensus.Message{Slot: 3}] {
		t.Errorf("asked for %v", n.held)
	}
}

// holding is a network in which every message is already queued.
type holding struct {
	nobody
	t    *testing.T
	held map[consensus.Message]bool // messages asked for
}

func (h holding) Send(to int, m consensus.Message) { h.t.Errorf("%+v was sent to %d", m, to) }

func (h holding) Holds(to int, m consensus.Message) bool {
	_, seal := m.Body.(*consensus.Seal)
	m.Body = nil
	h.held[m] = to == 1 && seal == (m.Slot == 5)
	return true
}
