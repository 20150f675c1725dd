package consensus

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

func (n *network) votes() (votes int) {
	for _, m := range n.members {
		if m.slot.ballots.vote != nil || len(m.log) > 0 {
			votes++
		}
	}
	return votes
}

// committed counts the members that know the first slot's decision.
func (n *network) committed() (count int) {
	for _, m := range n.members {
		if len(m.log) > 0 || m.slot.ballots.commit != nil {
			count++
		}
	}
	return count
}

// opened counts the members that have the first slot's total.
func (n *network) opened() (count int) {
	for _, m := range n.members {
		if len(m.log) > 0 {
			count++
		}
	}
	return count
}

// One member opens the total with all pads and is lost, together with another whose pad nobody
// else has received. The others do not sum again over a smaller view. The total that is already
// known is the only one, even if they have not heard of the decision.
func TestALostPadDoesNotMakeAnAttemptVoid(t *testing.T) {
	bothSchemes(t, func(t *testing.T, s Settings) {
		for _, decided := range []bool{true, false} {
			const size, lost, hears = 5, 1, 0
			n := newNetwork(t, size, s)
			xs := powers(size)
			n.carries = func(from, to int, b Body) bool {
				switch b.(type) {
				case *Pads:
					return to == hears
				case *Done:
					return decided || to == hears
				case *Heartbeat, *Commit:
					return decided
				}
				return true
			}
			n.callAll(sumOf(1, xs, oneBlock))
			n.settle()
			if !decided { // once the others know the decision, their pads reach this member, too
				for from := 1; from < size; from++ {
					m := n.members[from]
					n.receive(hears, from, Message{Body: &Pads{Pads: []Pad{{uint32(from), m.slot.attempts[0].secrets.pad}}}})
				}
			}
			if n.opened() != 1 || len(n.members[hears].log) != 1 {
				t.Fatalf("%d have opened\n%s", n.opened(), n.describe())
			}
			n.isolate(lost)
			n.isolate(hears)
			n.carries = nil
			n.pass(5*time.Minute, n.over(1))
			n.checkDecisions()
			d := n.members[2].log[0]
			if d.Attempt != 0 || len(d.Members) != size || !slices.Contains(d.Cost.Lost, lost) || !slices.Contains(d.Cost.Lost, hears) {
				t.Fatalf("decided %+v\n%s", d, n.describe())
			}
			n.checkLogs(xs, oneBlock)
		}
	})
}

// A curious member that votes, promises the next ballot and keeps its pad to itself cannot make
// the others open another total, since promises report votes.
func TestACuriousMemberCannotHaveTwoTotals(t *testing.T) {
	bothSchemes(t, func(t *testing.T, s Settings) {
		const size, curious = 4, 0
		n := newNetwork(t, size, s)
		xs := powers(size)
		n.carries = func(from, _ int, b Body) bool {
			switch b.(type) {
			case *Pads, *Shares, *Commit:
				return from != curious
			case *Heartbeat:
				return from != curious
			case *Done:
				return from == curious // the others' votes are late
			}
			return true
		}
		n.callAll(sumOf(1, xs, oneBlock))
		n.settle()
		if n.votes() != size || n.committed() != 0 {
			t.Fatalf("%d votes, %d know of a decision", n.votes(), n.committed())
		}
		// It proposes at once, without the agreement of the others.
		var e Effects
		n.members[curious].propose(&e)
		n.members[curious].settle(&e)
		n.members[curious].write(e)
		for _, send := range e.Sends {
			for to := 1; to < size; to++ {
				n.receive(to, curious, send.Message)
			}
		}
		n.settle()
		n.pass(5*time.Second, nil)
		for s, m := range n.members {
			if v := m.slot.ballots.views[m.slot.ballots.promised]; v != nil && v.Ballot > 0 {
				t.Errorf("member %d works in a new attempt of %v", s, v.Members)
			}
			if len(m.log) == 0 && (m.slot.ballots.finish == nil || m.slot.ballots.finish.Finish.Attempt != 0) {
				t.Errorf("member %d does not finish the attempt that has votes", s)
			}
		}
		n.carries = nil
		n.pass(time.Minute, n.over(1))
		if d := n.checkDecisions(); d == nil || d.Attempt != 0 || len(d.Members) != size || d.Certificate.Ballot == 0 {
			t.Fatalf("decided %+v\n%s", d, n.describe())
		}
		n.checkLogs(xs, oneBlock)
	})
}

// If a member is lost after another has voted, the others do not get stuck and do not start
// again. They finish the attempt, and the lost member's value counts.
func TestALossAfterAVoteIsNotStuck(t *testing.T) {
	bothSchemes(t, func(t *testing.T, s Settings) {
		for size := 4; size <= 6; size++ {
			for lost := range size {
				n := newNetwork(t, size, s)
				xs := powers(size)
				n.callAll(sumOf(1, xs, oneBlock))
				if !n.deliverUntil(func() bool { return n.votes() > 0 }) {
					t.Fatal("no votes")
				}
				n.isolate(lost)
				n.settle()
				n.pass(2*time.Minute, n.over(1))
				if d := n.checkDecisions(); d == nil {
					t.Fatalf("%d of %d lost: %s", lost, size, n.describe())
				}
				n.checkLogs(xs, oneBlock)
			}
		}
	})
}

// The first of two sums in a round has been opened. If a member is lost in the second, the first
// is not repeated over the smaller view: only slots are repeated, not rounds.
func TestTheFirstSumOfARoundIsNotRepeated(t *testing.T) {
	bothSchemes(t, func(t *testing.T, s Settings) {
		const size, lost = 5, 2
		n := newNetwork(t, size, s)
		xs := powers(size)
		n.play(sumOf(1, xs, oneBlock))
		first := n.checkDecisions()
		n.callAll(sumOf(1, xs, oneBlock))
		n.deliver(10)
		n.isolate(lost)
		n.settle()
		n.pass(2*time.Minute, n.over(2))
		for s, m := range n.members {
			if !m.dead && (len(m.log) != 2 || m.log[0].Chain != first.Chain || m.disk[0] != nil) {
				t.Fatalf("member %d has decided %d slots, and keeps of the first %d entries", s, len(m.log), len(m.disk[0]))
			}
		}
		d := n.checkDecisions()
		if len(first.Members) != size || len(d.Members) != size-1 || d.Slot != 1 {
			t.Errorf("the first over %v, the second over %v", first.Members, d.Members)
		}
		n.checkLogs(xs, oneBlock)
	})
}

// Several ballots in a row fail because their owners are lost, before one decides.
func TestSeveralBallotsFail(t *testing.T) {
	bothSchemes(t, func(t *testing.T, s Settings) {
		const size = 7
		n := newNetwork(t, size, s)
		xs := powers(size)
		n.callAll(sumOf(1, xs, oneBlock))
		n.isolate(6)
		for _, owner := range []int{0, 1} {
			ballot := func() bool { // a view of its own ballot has been sent
				return n.members[owner].slot.ballots.made[n.members[owner].slot.ballots.promised] != nil
			}
			for range 200 {
				if n.deliverUntil(ballot) {
					break
				}
				n.now += 500 * time.Millisecond
				for s := range n.members {
					n.step(s, Tick{Learner: 1})
				}
			}
			if !ballot() {
				t.Fatalf("member %d did not make a view\n%s", owner, n.describe())
			}
			n.deliver(5)
			n.isolate(owner)
		}
		n.settle()
		n.pass(5*time.Minute, n.over(1))
		d := n.checkDecisions()
		if d == nil || fmt.Sprint(d.Members) != "[2 3 4 5]" {
			t.Fatalf("decided %+v\n%s", d, n.describe())
		}
		n.checkLogs(xs, oneBlock)
	})
}
