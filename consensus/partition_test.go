package consensus

import (
	"fmt"
	"testing"
	"time"
)

// part cuts all links between the members below a rank and the others.
func (n *network) part(at int) {
	n.cut = func(from, to int) bool { return from < at != (to < at) }
}

// Eight members are partitioned into five and three, at every stage of a slot. The five
// continue, the three pause. When the partition heals, all have the same totals, and they sum
// together again with the next round.
func TestPartition(t *testing.T) {
	bothSchemes(t, func(t *testing.T, s Settings) {
		const size, side = 8, 5
		xs := powers(size)
		stages := map[string]func(n *network) bool{
			"seeds are out": func(n *network) bool { return n.states(Dealt) > 0 },
			"session":       func(n *network) bool { return n.states(Session) >= 4 },
			"first vote":    func(n *network) bool { return n.votes() > 0 },
			"votes":         func(n *network) bool { return n.votes() >= 5 },
			"first commit":  func(n *network) bool { return n.committed() > 0 },
			"first opens":   func(n *network) bool { return n.opened() > 0 },
		}
		for name, stage := range stages {
			for _, keep := range []bool{true, false} { // whether messages in flight between the two sides arrive
				n := newNetwork(t, size, s)
				calls := []func(int) Call{sumOf(1, xs, oneBlock), sumOf(1, xs, oneBlock), sumOf(2, xs, oneBlock)}
				n.callAll(calls[0])
				if !n.deliverUntil(func() bool { return stage(n) }) {
					t.Fatalf("%s: never reached", name)
				}
				if keep {
					n.settle()
				}
				n.part(side)
				n.learn(calls, 40*time.Second)
				for s, m := range n.members {
					st := m.Status()
					switch {
					case s < side && (len(m.log) < 3 || m.err != nil):
						t.Fatalf("%s: member %d of the larger side does not continue\n%s", name, s, n.describe())
					case s >= side && (m.err != nil || !st.Paused || len(st.Lost) != side):
						t.Fatalf("%s: member %d of the smaller side: %+v %v", name, s, st, m.err)
					}
				}
				n.cut = nil
				for round := uint32(3); round <= 5; round++ {
					if !n.learn(calls, 5*time.Minute) {
						t.Fatalf("%s: does not heal\n%s", name, n.describe())
					}
					n.pass(5*time.Second, nil)
					calls = append(calls, sumOf(round, xs, oneBlock))
				}
				n.checkLogs(xs, oneBlock)
				if d := n.checkDecisions(); len(d.Members) != size {
					t.Errorf("%s: after it only %v, missing %s", name, d.Members, n.missingOf(d))
				}
			}
		}
	})
}

func (n *network) states(st State) (count int) {
	for _, m := range n.members {
		if m.State() == st {
			count++
		}
	}
	return count
}

// If two halves are separated, neither has a quorum. Both pause, and continue when the link is
// back.
func TestPartitionIntoHalves(t *testing.T) {
	bothSchemes(t, func(t *testing.T, s Settings) {
		const size = 4
		xs := powers(size)
		for after := range 40 {
			n := newNetwork(t, size, s)
			calls := []func(int) Call{sumOf(1, xs, oneBlock), sumOf(2, xs, oneBlock)}
			n.callAll(calls[0])
			n.deliver(after)
			n.part(2)
			n.learn(calls, time.Minute)
			for s, m := range n.members {
				if st := m.Status(); m.err != nil || !st.Paused || len(m.log) == 2 {
					t.Fatalf("after %d messages: member %d: %+v %v", after, s, st, m.err)
				}
			}
			n.cut = nil
			if !n.learn(calls, 5*time.Minute) {
				t.Fatalf("after %d messages: does not heal\n%s", after, n.describe())
			}
			n.checkLogs(xs, oneBlock)
		}
	})
}

// A member that is lost after a quorum has voted, before it has sent its pad, is in the total:
// the others rebuild its pad.
func TestAMemberLostAfterTheVoteCounts(t *testing.T) {
	bothSchemes(t, func(t *testing.T, s Settings) {
		const size = 5
		for lost := range size {
			n := newNetwork(t, size, s)
			xs := powers(size)
			n.carries = func(from, _ int, b Body) bool { // it does not learn the decision
				_, pads := b.(*Pads)
				return !pads || from != lost
			}
			n.callAll(sumOf(1, xs, oneBlock))
			if !n.deliverUntil(func() bool { return n.committed() > 0 }) {
				t.Fatal("no decision")
			}
			n.isolate(lost)
			n.settle()
			n.pass(time.Minute, n.over(1))
			d := n.checkDecisions()
			if d == nil || len(d.Members) != size {
				t.Fatalf("m%d: decided %+v\n%s", lost, d, n.describe())
			}
			n.checkLogs(xs, oneBlock)
			named := 0
			for _, m := range n.members {
				if !m.dead && fmt.Sprint(m.log[0].Cost.Lost) == fmt.Sprintf("[%d]", lost) {
					named++
				}
			}
			if named == 0 {
				t.Errorf("m%d: no member reports that its pad came from shares", lost)
			}
			// It has voted, so its value is counted when it comes back.
			n.carries = nil
			n.restart(lost)
			if !n.learn([]func(int) Call{sumOf(1, xs, oneBlock), sumOf(2, xs, oneBlock)}, 5*time.Minute) {
				t.Fatalf("m%d: does not come back\n%s", lost, n.describe())
			}
			n.checkLogs(xs, oneBlock)
		}
	})
}

// With Recover set to Wait nobody holds shares, and the slot waits until the member is back
// with its pad.
func TestWaitingForALostPad(t *testing.T) {
	const size, lost = 5, 3
	s := exact
	s.Recover = Wait
	n := newNetwork(t, size, s)
	xs := powers(size)
	n.callAll(sumOf(1, xs, oneBlock))
	if !n.deliverUntil(func() bool { return n.committed() > 0 }) {
		t.Fatal("no decision")
	}
	n.isolate(lost)
	n.settle()
	n.pass(10*time.Minute, nil)
	if st := n.status(0); n.opened() > 0 || fmt.Sprint(st.Waiting) != "[3]" || st.State != Opening {
		t.Fatalf("%d have opened without the pad; %s, waiting for %v", n.opened(), st.State, st.Waiting)
	}
	n.restart(lost)
	if !n.learn([]func(int) Call{sumOf(1, xs, oneBlock)}, time.Minute) {
		t.Fatal(n.describe())
	}
	if d := n.checkDecisions(); len(d.Members) != size {
		t.Errorf("decided over %v", d.Members)
	}
	n.checkLogs(xs, oneBlock)
}

// Within a round views only shrink: a member that is back in time for the second sum of a round
// joins with the next round.
func TestViewsGrowBetweenRoundsOnly(t *testing.T) {
	bothSchemes(t, func(t *testing.T, s Settings) {
		const size, away = 5, 4
		n := newNetwork(t, size, s)
		xs := powers(size)
		calls := []func(int) Call{sumOf(1, xs, oneBlock)}
		n.kill(away)
		n.learn(calls, time.Minute)
		if got := len(n.checkDecisions().Members); got != size-1 {
			t.Fatalf("%d members at first", got)
		}
		n.restart(away)
		for i, c := range []struct {
			round   uint32
			members int
		}{{1, size - 1}, {1, size - 1}, {2, size}, {2, size}} {
			calls = append(calls, sumOf(c.round, xs, oneBlock))
			n.pass(10*time.Second, nil)
			if i == 1 { // a failed ballot does not let it in either
				n.callDue(calls[:len(calls)-1])
				for s := range size {
					n.call(s, sumOf(c.round, xs, oneBlock)(s))
				}
				n.deliver(3)
				n.isolate(1)
				n.settle()
				n.pass(time.Minute, n.over(len(calls)))
				n.restart(1)
				c.members--
			}
			if !n.learn(calls, 3*time.Minute) {
				t.Fatal(n.describe())
			}
			d := n.checkDecisions()
			if len(d.Members) != c.members {
				t.Fatalf("sum %d: %v, missing %s", i, d.Members, n.missingOf(d))
			}
		}
		n.checkLogs(xs, oneBlock)
	})
}
