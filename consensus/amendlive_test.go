package consensus

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// No member deals in a ballot that amends the roster. Seeds and Blobs of such a ballot are
// ignored.
func TestOpeningsOfABallotThatAmends(t *testing.T) {
	bothSchemes(t, func(t *testing.T, s Settings) {
		n := newNetwork(t, 5, s)
		n.join()
		n.request(revision(1, nil, "new"), 0, 2, 4)
		n.callAll(rounds(1, powers(6))[0])
		views := func() bool {
			s := n.members[3].slot
			v := s.ballots.working()
			return v != nil && v.Amends != [32]byte{}
		}
		if !n.deliverUntil(views) {
			t.Fatalf("no view amends the roster\n%s", n.describe())
		}
		ballot := n.members[3].slot.ballots.promised
		for _, body := range []Body{&Seeds{Header: Header{Kind: Sum}}, &Blob{Header: Header{Kind: Gather}}, &Step{}, &Seal{Sealed: &Sealed{Attempt: ballot, Header: Header{Kind: Sum}}}} {
			n.receive(3, 1, Message{Ballot: ballot, Body: body})
		}
		if err := n.members[3].err; err != nil {
			t.Error(err)
		}
	})
}

// If an amendment that was promised gets no quorum of votes, the members that did not request
// it finish it, or it is abandoned.
func TestAVoterIsLostInAnAmendment(t *testing.T) {
	for _, lost := range []int{0, 4} { // the proposer, another member that requests it
		n := newNetwork(t, 5, exact)
		n.join()
		n.request(revision(1, []uint32{1}, "new"), 0, 2, 4)
		calls := rounds(4, powers(6))
		n.callAll(calls[0])
		if !n.deliverUntil(func() bool { v := n.members[2].slot.ballots.working(); return v != nil && v.Ballot > 0 }) {
			t.Fatal("no view")
		}
		n.isolate(lost)
		if !n.learn(calls, 10*time.Minute) {
			t.Fatalf("without m%d: does not continue\n%s", lost, n.describe())
		}
		n.members[1].err = nil
		n.checkLogs(powers(6), oneBlock)
	}
}

// A removed member ends once it knows of its removal. A member that has not heard of it yet
// does not end the run because of that.
func TestAMemberIsReplacedInASmallRoster(t *testing.T) {
	for seed := range uint64(40) {
		n, calls := amendment(t, exact, 3)
		n.rng, n.loss = rand.New(rand.NewPCG(seed, 5)), 0.3
		if !n.learn(calls, 10*time.Minute) {
			t.Fatalf("seed %d: does not continue\n%s", seed, n.describe())
		}
		for s, m := range n.members {
			if s != 1 && m.err != nil {
				t.Fatalf("seed %d: member %d: %v", seed, s, m.err)
			}
		}
		n.checkAmended(powers(4))
	}
}

// A member that was added to a paused run may never come: another amendment replaces it.
func TestAPausedRunIsAmendedTwice(t *testing.T) {
	n := newNetwork(t, 3, exact)
	n.join()
	xs := powers(5)
	n.learn(rounds(2, xs), time.Minute)
	n.kill(1)
	n.members[3].dead = true // it comes late
	if n.learn(rounds(3, xs), time.Minute) {
		t.Fatal("continues with two of three")
	}
	n.request(revision(1, []uint32{1}, "new"), 0, 2)
	n.learn(rounds(3, xs), 2*time.Minute)
	if got := amendments(n.members[0].log); len(got) != 1 {
		t.Fatalf("amended in slots %d\n%s", got, n.describe())
	}
	// The new member does not come, so another takes its place.
	s := n.join()
	n.request(revision(2, []uint32{3}, "newer"), 0, 2)
	if !n.learn(rounds(5, xs), 10*time.Minute) {
		t.Fatalf("does not continue\n%s", n.describe())
	}
	n.checkLogs(xs, oneBlock)
	if got := last(n.members[s].log).Members; !slices.Equal(got, []uint32{0, 2, 4}) {
		t.Errorf("the last sum is over %d", got)
	}
}

// All members may restart right after an amendment, before anything else is decided.
func TestAllStartAgainAfterAnAmendment(t *testing.T) {
	bothSchemes(t, func(t *testing.T, s Settings) {
		n, calls := amendment(t, s, 4)
		n.callAll(calls[0])
		if !n.deliverUntil(func() bool { return len(amendments(n.members[0].log)) > 0 }) {
			t.Fatalf("never amended\n%s", n.describe())
		}
		n.flight = nil
		for s := range n.members {
			n.restart(s)
			if m := n.members[s]; m.Machine.err == nil && len(amendments(m.log)) == 0 {
				n.step(s, RequestAmendment{Amendment: revision(1, []uint32{1}, "new")})
			}
		}
		if !n.learn(calls, 10*time.Minute) {
			t.Fatalf("does not continue\n%s", n.describe())
		}
		n.checkAmended(powers(5))
	})
}

// A member can join after all founders have left the roster.
func TestAMemberJoinsAfterAllFoundersHaveLeft(t *testing.T) {
	n := newNetwork(t, 3, exact)
	xs := powers(8)
	r, all := 1, []int{0, 1, 2}
	n.learn(rounds(r, xs), time.Minute)
	for i := range 3 {
		s := n.join()
		n.request(revision(uint32(i+1), []uint32{uint32(i)}, string(rune('a'+i))), all[i:]...)
		all = append(all, s)
		r += 2
		if !n.learn(rounds(r, xs), 10*time.Minute) {
			t.Fatalf("does not continue\n%s", n.describe())
		}
		n.kill(i)
		n.members[i].err = nil
		r++
		if !n.learn(rounds(r, xs), 10*time.Minute) {
			t.Fatalf("does not continue\n%s", n.describe())
		}
	}
	s := n.join()
	n.request(revision(4, nil, "d"), 3, 4, 5)
	for range 6 {
		r += 2
		if !n.learn(rounds(r, xs), 10*time.Minute) {
			t.Fatalf("does not continue\n%s", n.describe())
		}
		n.pass(2*time.Second, nil)
	}
	n.checkLogs(xs, oneBlock)
	if got := last(n.members[s].log).Members; !slices.Equal(got, []uint32{3, 4, 5, 6}) {
		t.Errorf("the last sum is over %d", got)
	}
}

// A value that only one member has voted for is abandoned if that member is lost before it has
// sent the result on, in any slot.
func TestTheOnlyVoterIsLost(t *testing.T) {
	for name, wishes := range map[string][]int{"a sum": nil, "an amendment": {0, 2, 3, 4}} {
		n := newNetwork(t, 5, floating)
		n.members[n.join()].dead = wishes == nil
		n.request(revision(1, []uint32{1}, "new"), wishes...)
		n.carries = func(from, _ int, b Body) bool {
			switch b := b.(type) {
			case *Done, *Seal:
				return from != 0
			case *View:
				return from != 0 || wishes == nil || b.Finish != nil
			}
			return true
		}
		calls := rounds(4, powers(6))
		n.callAll(calls[0])
		if !n.deliverUntil(func() bool { return n.members[0].slot.ballots.vote != nil }) {
			t.Fatalf("%s: no vote", name)
		}
		n.settle()
		var e Effects
		m := n.members[1]
		m.propose(&e)
		m.flush(&e)
		m.write(e)
		n.carryOut(1, e)
		if !n.deliverUntil(func() bool { return n.members[3].slot.ballots.finish != nil }) {
			t.Fatalf("%s: nothing to be finished\n%s", name, n.describe())
		}
		n.isolate(0)
		n.carries = nil
		if !n.learn(calls, 10*time.Minute) {
			t.Fatalf("%s: does not continue\n%s", name, n.describe())
		}
		n.members[1].err = nil
		n.checkLogs(powers(6), oneBlock)
	}
}

// A removed member learns of its removal, but not of a sum that it was not in.
func TestARemovedMemberLearnsNoLaterSum(t *testing.T) {
	n, calls := amendment(t, exact, 4)
	n.kill(1)
	if !n.learn(calls, 10*time.Minute) {
		t.Fatalf("does not continue\n%s", n.describe())
	}
	m := n.members[0]
	at := amendments(m.log)[0]
	for slot := range uint64(len(m.log)) {
		e := m.Step(n.now, received(t, 1, Message{Slot: slot, Body: &Heartbeat{State: Idle, Ask: 1}}))
		if told := len(e.Sends)+len(e.Serves) > 0; told != (slot <= at) {
			t.Errorf("amended in slot %d, sent slot %d: %v", at, slot, told)
		}
	}
}
