package consensus

import (
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus/session"
)

// exact and floating differ in how sums are voted for: all members have the same bits, or all
// adopt the sealer's.
var (
	exact    = Settings{Scheme: Exact, Protect: chunking.Chunks}
	floating = Settings{Scheme: Laplacian, Step: session.Chebyshev, Protect: chunking.Chunks}
)

// bothSchemes runs a test with exact sums and with floating-point sums.
func bothSchemes(t *testing.T, test func(t *testing.T, s Settings)) {
	t.Helper()
	for _, s := range []Settings{exact, floating} {
		t.Run(string(s.Scheme), func(t *testing.T) { test(t, s) })
	}
}

var oneBlock = []collabdict.Block{{Len: 1, Bound: 1 << 10}}

// powers returns a vector of one value for each member. Each set of members has a different
// total.
func powers(size int) (xs [][]float64) {
	for s := range size {
		xs = append(xs, []float64{float64(int(1) << s)})
	}
	return xs
}

func randomVectors(seed uint64, size int) [][]float64 {
	return vectors(rand.New(rand.NewPCG(seed, 1)), size, testBlocks)
}

func (n *network) callAll(call func(s int) Call) {
	for s := range n.members {
		n.call(s, call(s))
	}
}

// deliverUntil delivers messages in order, one at a time, until a condition holds or none are
// left. It reports whether the condition holds.
func (n *network) deliverUntil(is func() bool) bool {
	for !is() {
		if len(n.flight) == 0 {
			return false
		}
		d := n.flight[0]
		n.flight = n.flight[1:]
		if (n.cut == nil || !n.cut(d.from, d.to)) && (n.carries == nil || n.carries(d.from, d.to, d.msg.Body)) {
			n.receive(d.to, d.from, d.msg)
		}
	}
	return true
}

func (n *network) deliver(count int) {
	n.deliverUntil(func() bool { count--; return count < 0 })
}

// drop removes the messages in flight for which picked returns true.
func (n *network) drop(picked func(d delivery) bool) {
	var kept []delivery
	for _, d := range n.flight {
		if !picked(d) {
			kept = append(kept, d)
		}
	}
	n.flight = kept
}

// isolate stops a member and loses its messages in flight.
func (n *network) isolate(s int) {
	n.kill(s)
	n.drop(func(d delivery) bool { return d.from == s })
}

// catchUp repeats a learner's calls until it has made as many as the longest log of a member
// holds.
func (n *network) catchUp(s int, call func(s int) Call) {
	slots := uint64(0)
	for _, m := range n.members {
		slots = max(slots, uint64(len(m.log)))
	}
	for n.members[s].calls < slots {
		n.call(s, call(s))
		n.settle()
		n.pass(5*time.Minute, func() bool { return uint64(len(n.members[s].log)) >= n.members[s].calls })
	}
}

// learn lets every live member's learner make the calls, each after the answer to the one
// before. It reports whether all live members got all answers in time.
func (n *network) learn(calls []func(s int) Call, limit time.Duration) bool {
	for end := n.now + limit; ; n.pass(500*time.Millisecond, nil) {
		n.callDue(calls)
		if n.over(len(calls))() {
			return true
		}
		if n.now >= end {
			return false
		}
	}
}

// callDue makes the calls that are due, including those that become due because a call is
// answered at once.
func (n *network) callDue(calls []func(s int) Call) {
	for called := true; called; {
		called = false
		for s, m := range n.members {
			for !m.dead && m.err == nil && m.calls < uint64(len(calls)) && m.calls <= m.answered() {
				n.call(s, calls[m.calls](s))
				called = true
			}
		}
		n.settle()
	}
}

// checkLogs asserts that no member, live or not, has a different decision, and that every total
// is the sum over its members.
func (n *network) checkLogs(xs [][]float64, blocks []collabdict.Block) {
	n.t.Helper()
	bySlot := map[uint64]*Decision{}
	for s, m := range n.members {
		if m.err != nil {
			n.t.Fatalf("member %d: %v", s, m.err)
		}
		for _, d := range m.log {
			other := bySlot[d.Slot]
			if other == nil {
				bySlot[d.Slot] = d
				if d.Kind == Sum {
					checkTotal(n.t, d, xs, blocks, 1e-6)
				}
			} else if other.Chain != d.Chain || other.Digest != d.Digest {
				n.t.Fatalf("slot %d: member %d has decided differently from another member", d.Slot, s)
			}
		}
	}
}

func (n *network) status(s int) Status { return n.members[s].Status() }

// as returns a member's error as the given type.
func as[E error](err error) (e E, ok bool) {
	ok = errors.As(err, &e)
	return e, ok
}
