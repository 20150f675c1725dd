package consensus

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/internal/testkit"
)

const large = 80 // members

// largeNetwork returns a network with a large roster, and vectors for its members.
func largeNetwork(t *testing.T, s Settings) (*network, [][]float64) {
	t.Helper()
	var xs [][]float64
	for i := range large {
		xs = append(xs, []float64{float64(1 + i*i)})
	}
	return newNetwork(t, large, s), xs
}

var largeBlock = slices.Clone(oneBlock)

func init() { largeBlock[0].Bound = 1 << 13 }

// outsider returns the highest rank outside the committee.
func (n *network) outsider() int {
	for s := large - 1; ; s-- {
		if !n.members[0].roster.decides(s) {
			return s
		}
	}
}

func TestSumsOfLargeRosters(t *testing.T) {
	for _, s := range []Settings{
		exact, floating,
		{Scheme: BaseK, Protect: chunking.Chunks, Fan: 2},
		{Scheme: BaseK, Protect: chunking.Shamir, Chunks: 4},
		{Scheme: Exact, Protect: chunking.None},
		{Scheme: Exact, Protect: chunking.Chunks, Recover: Wait, Parity: true},
		{Scheme: Exact, Protect: chunking.Chunks, Chunks: 60, Full: true},
	} {
		t.Run(fmt.Sprintf("%s %s", s.Scheme, s.Protect), func(t *testing.T) {
			n, xs := largeNetwork(t, s)
			for round := range 2 {
				n.play(sumOf(uint32(round+1), xs, largeBlock))
				d := n.checkDecisions()
				if d == nil || len(d.Members) != large || n.now > 0 {
					t.Fatalf("after %s: %+v\n%s", n.now, d, n.describe())
				}
				checkTotal(t, d, xs, largeBlock, 1e-6)
			}
		})
	}
}

// Lost, doubled and reordered messages only delay a slot.
func TestALargeRosterOnABadCarrier(t *testing.T) {
	testkit.LongOnly(t)
	bothSchemes(t, func(t *testing.T, s Settings) {
		n, xs := largeNetwork(t, s)
		n.rng, n.loss = rand.New(rand.NewPCG(1, 2)), 0.05
		for round := range 2 {
			n.play(sumOf(uint32(round+1), xs, largeBlock))
			d := n.checkDecisions()
			if d == nil || len(d.Members) != large {
				t.Fatalf("after %s: %+v\n%s", n.now, d, n.describe())
			}
			checkTotal(t, d, xs, largeBlock, 1e-6)
		}
	})
}

// A member that is lost at any point of a slot is left out, or counts if the vote was over. All
// others agree. The lost member is in the committee or not.
func TestALossInALargeRoster(t *testing.T) {
	testkit.LongOnly(t)
	bothSchemes(t, func(t *testing.T, s Settings) {
		for _, decides := range []bool{false, true} {
			points := []int{1, 3500, 4500, 5200}
			if s.Scheme == Laplacian {
				points = []int{1, 20000}
			}
			for _, after := range points {
				n, xs := largeNetwork(t, s)
				lost := n.outsider()
				if decides {
					lost = n.members[0].roster.Committee[3]
				}
				n.callAll(sumOf(1, xs, largeBlock))
				n.deliver(after)
				n.isolate(lost)
				n.mustLearn(callsOf(2, xs))
				n.checkLogs(xs, largeBlock)
				d := n.members[0].log[0]
				t.Logf("%d messages: %d members in ballot %d after %s", after, len(d.Members), d.Cost.Ballot, n.now)
			}
		}
	})
}

func (n *network) mustLearn(calls []func(int) Call) {
	n.t.Helper()
	if n.learn(calls, 10*time.Minute) {
		return
	}
	for s, m := range n.members {
		if st := m.Status(); !m.dead && len(m.log) < len(calls) {
			n.t.Fatalf("m%d has decided %d of %d: slot %d ballot %d %s, stuck %q, waits for %v, error %v", s, len(m.log), len(calls), st.Slot, st.Ballot, st.State, st.Stuck, m.waiting(), m.err)
		}
	}
}

func callsOf(rounds int, xs [][]float64) (calls []func(int) Call) {
	for r := range rounds {
		calls = append(calls, sumOf(uint32(r+1), xs, largeBlock))
	}
	return calls
}

// Other members rebuild a pad that its owner never adds to the sum of the pads.
func TestPadsOfALargeRosterArePutTogether(t *testing.T) {
	for _, count := range []int{1, 5} {
		n, xs := largeNetwork(t, exact)
		committee := n.members[0].roster.Committee
		var lost []int
		for s := large - 1; len(lost) < count; s-- {
			if !slices.Contains(committee, s) {
				lost = append(lost, s)
			}
		}
		n.carries = func(from, to int, b Body) bool { // they vote, but their part in the opening is lost
			step, is := b.(*Step)
			return !is || step.Lane == 0 || !slices.Contains(lost, from)
		}
		n.callAll(sumOf(1, xs, largeBlock))
		n.deliverUntil(func() bool { return n.members[lost[0]].slot.ballots.commit != nil })
		for _, s := range lost {
			n.kill(s)
		}
		n.mustLearn(callsOf(1, xs))
		n.checkLogs(xs, largeBlock)
		if d := n.members[0].log[0]; len(d.Members) != large {
			t.Fatalf("%d members", len(d.Members))
		}
		t.Logf("%d lost: after %s", count, n.now)
	}
}

// A member that restarts continues with the others.
func TestAMemberOfALargeRosterComesBack(t *testing.T) {
	for _, decides := range []bool{false, true} {
		n, xs := largeNetwork(t, exact)
		back := n.outsider()
		if decides {
			back = n.members[0].roster.Committee[0]
		}
		n.callAll(sumOf(1, xs, largeBlock))
		n.deliver(2000)
		n.isolate(back)
		n.mustLearn(callsOf(3, xs))
		n.restart(back)
		n.mustLearn(callsOf(3, xs))
		n.pass(5*time.Second, nil)
		n.mustLearn(callsOf(6, xs))
		n.checkLogs(xs, largeBlock)
		if d := n.members[0].log[5]; !slices.Contains(d.Members, uint32(back)) {
			t.Errorf("member %d is not back: %s", back, n.missingOf(d))
		}
	}
}

// Without a majority of the committee, or of the roster, nothing is decided.
func TestALargeRosterPauses(t *testing.T) {
	n, xs := largeNetwork(t, exact)
	for _, s := range n.members[0].roster.Committee[:16] {
		n.kill(s)
	}
	n.callAll(sumOf(1, xs, largeBlock))
	n.settle()
	n.pass(time.Minute, nil)
	for s, m := range n.members {
		if len(m.log) > 0 || m.err != nil {
			t.Fatalf("member %d: %v, %v", s, m.log, m.err)
		}
	}
	s := n.members[0].roster.Committee[20]
	if !n.status(s).Paused {
		t.Errorf("not paused: %+v", n.status(s))
	}
	n.restart(n.members[0].roster.Committee[0])
	n.mustLearn(callsOf(1, xs))
	n.checkLogs(xs, largeBlock)
}
