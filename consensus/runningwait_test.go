package consensus

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/internal/testkit"
)

// statistics is a call of a running total that begins from nothing.
func statistics(round uint32, xs [][]float64) func(s int) Call {
	return accumulation(collabdict.Running{Key: "statistics"}, round, oneBlock[0].Bound, func(s int) []float64 { return xs[s] })
}

// eachProtection runs a test for both schemes, and without pads.
func eachProtection(t *testing.T, test func(t *testing.T, s Settings)) {
	t.Helper()
	bothSchemes(t, test)
	t.Run("none", func(t *testing.T) { test(t, Settings{Scheme: Exact, Protect: chunking.None}) })
}

// checkWaits asserts that all live members wait for some others, and that the status names
// these.
func (n *network) checkWaits(slots int, lost ...uint32) {
	n.t.Helper()
	for s, m := range n.members {
		if m.dead {
			continue
		}
		st := m.Status()
		var names []uint32
		for _, l := range st.Lost {
			names = append(names, l.Member)
		}
		if m.err != nil || len(m.log) != slots || !st.Paused || st.PausedBy != 0 || st.Least != m.roster.Size || !slices.Equal(names, lost) {
			n.t.Fatalf("member %d does not wait for %v after %d slots, but for %v of %d\n%s", s, lost, slots, names, st.Least, n.describe())
		}
	}
}

func sumUp(xs [][]float64, members ...int) []float64 {
	total := 0.0
	for _, s := range members {
		total += xs[s][0]
	}
	return []float64{total}
}

// Only all members together can begin a running total, however long one of them is away, and
// whether it is lost in the slot before, in this one, or has left for good. With that member, the
// total begins with the vectors of all.
func TestATotalBeginsWithAll(t *testing.T) {
	const size, victim = 5, 3
	long := testkit.LongOr(time.Hour, 10*time.Minute)
	eachProtection(t, func(t *testing.T, s Settings) {
		for _, lost := range []int{-2, -1, 0, 1, 6} { // messages delivered before; -1 in the slot before, -2 for good
			n, xs := signed(t, newNetwork(t, size, s)), powers(size)
			calls := []func(s int) Call{gatherOf(make([][]byte, size)), statistics(0, xs)}
			switch {
			case lost == -2:
				n.step(victim, Abort{Reason: "it is tired"})
				n.settle()
				n.kill(victim)
			case lost == -1:
				n.kill(victim)
			}
			n.learn(calls[:1], time.Minute)
			if lost >= 0 {
				n.callAll(calls[1])
				n.deliver(lost)
				n.isolate(victim)
			}
			n.learn(calls, long)
			n.checkWaits(1, victim)
			for s, m := range n.members {
				if b := m.slot.ballots.promised; !m.dead && b > 2*size {
					t.Errorf("lost after %d: member %d has promised ballot %d while it waits", lost, s, b)
				}
			}
			n.restart(victim)
			if !n.learn(calls, time.Minute) {
				t.Fatalf("lost after %d: does not continue\n%s", lost, n.describe())
			}
			if got, want := n.total(), sumUp(xs, 0, 1, 2, 3, 4); !slices.Equal(got, want) {
				t.Errorf("lost after %d: got %v, want %v", lost, got, want)
			}
			if n.status(0).Paused {
				t.Errorf("lost after %d: still paused", lost)
			}
		}
	})
}

// A member that is gone for good is removed, or another takes its place, in the slot that waits
// for it. That slot needs the members of the new roster.
func TestTheRosterIsAmendedBeforeATotal(t *testing.T) {
	const size, gone = 5, 1
	eachProtection(t, func(t *testing.T, s Settings) {
		for _, added := range []string{"", "new"} {
			n, xs := signed(t, newNetwork(t, size, s)), powers(size+1)
			calls := []func(s int) Call{gatherOf(make([][]byte, size+1)), statistics(0, xs), statistics(0, xs), statistics(1, xs)}
			n.learn(calls[:1], time.Minute)
			n.kill(gone)
			n.learn(calls, 10*time.Minute)
			n.checkWaits(1, gone)
			a, members := revision(1, []uint32{gone}), []int{0, 2, 3, 4}
			if added != "" {
				a, members = revision(1, []uint32{gone}, added), append(members, n.join())
				n.members[size].dead = true // it comes late
			}
			n.request(a, 0, 2)
			n.learn(calls, time.Minute)
			n.checkWaits(1, gone) // two of five cannot remove it
			n.request(a, 3)
			if added != "" {
				n.learn(calls, 10*time.Minute)
				n.checkWaits(2, size)
				n.members[size].dead = false
			}
			if !n.learn(calls, 10*time.Minute) {
				t.Fatalf("does not continue\n%s", n.describe())
			}
			if got, want := n.total(), sumUp(xs, members...); !slices.Equal(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
			log := n.members[0].log
			if log[1].Kind != Amend || len(log[2].Members) != len(members) || log[2].Running.Size != uint32(len(members)) {
				t.Errorf("the total begins with %v of %d\n%s", log[2].Members, log[2].Running.Size, n.describe())
			}
			n.restart(gone)
			n.learn(calls, time.Minute)
			if _, removed := as[*RemovedError](n.members[gone].err); !removed {
				t.Errorf("the removed member has ended with %v", n.members[gone].err)
			}
		}
	})
}

// Nobody takes part in a view that begins a running total without a member, even if colluders
// say that it is lost, and even if the view comes before the member's own call.
func TestNoViewBeginsATotalWithoutAMember(t *testing.T) {
	for _, early := range []bool{false, true} {
		n := signed(t, newNetwork(t, 4, exact))
		xs := powers(4)
		m := n.members[1]
		v := newView(n)
		if !early {
			n.call(1, statistics(0, xs)(1))
			want := "view of ballot 4: want at least 4 of 4 members and all others missing, got 3 and 1 missing"
			if err := m.checksView(v); err == nil || err.Error() != want {
				t.Errorf("%v, want %s", err, want)
			}
		}
		n.step(1, received(t, 0, Message{Ballot: 4, Body: &Prepare{}}))
		n.receive(1, 0, Message{Ballot: 4, Body: v})
		if early {
			if m.slot.ballots.working() == nil {
				t.Fatal("the view is refused, although it suits other calls")
			}
			n.call(1, statistics(0, xs)(1))
		}
		if m.slot.ballots.working() != nil || m.slot.entered >= 4 {
			t.Errorf("early %v: member 1 takes part in a view without member 3\n%s", early, n.describe())
		}
		for _, s := range []int{0, 2, 3} {
			n.call(s, statistics(0, xs)(s))
		}
		n.pass(time.Hour, n.over(1))
		if d := n.checkDecisions(); d == nil || len(d.Members) != 4 {
			t.Errorf("early %v: decided %+v\n%s", early, d, n.describe())
		}
	}
}

// In the start and in the first rounds, a slot waits for a member that the total has counted,
// for startPatience and not longer. If the member comes back in time, the slot includes it. The
// slots after that do not wait for it again. Nothing waits for a member that has left for good,
// nor in a later round or another sum.
func TestATotalWaitsInItsFirstRounds(t *testing.T) {
	const size, victim = 5, 3
	xs := powers(size)
	for _, c := range []struct {
		name  string
		round uint32
		back  time.Duration // 0 for never
		good  bool          // it leaves for good
		sum   bool          // over the view
		waits bool
	}{
		{name: "start", round: 0, waits: true},
		{name: "round 1", round: 1, waits: true},
		{name: "round 5", round: 5, waits: true},
		{name: "round 6", round: 6},
		{name: "back in the start", round: 0, back: 100 * time.Second, waits: true},
		{name: "back in round 5", round: 5, back: 100 * time.Second, waits: true},
		{name: "for good", round: 1, good: true},
		{name: "over the view", round: 1, sum: true},
	} {
		eachProtection(t, func(t *testing.T, s Settings) {
			for _, after := range []int{0, 6} {
				n := signed(t, newNetwork(t, size, s))
				call := statistics(c.round, xs)
				if c.sum {
					call = sumOf(c.round, xs, oneBlock)
				}
				calls := []func(s int) Call{statistics(0, xs), call}
				n.learn(calls[:1], time.Minute)
				began := n.now
				n.callAll(call)
				n.deliver(after)
				if c.good {
					n.step(victim, Abort{Reason: "it is tired"})
					n.settle()
				}
				n.isolate(victim)
				if c.waits {
					n.learn(calls, 90*time.Second)
					n.checkWaits(1, victim)
				}
				if c.back > 0 {
					n.learn(calls, c.back-(n.now-began))
					n.restart(victim)
				}
				if !n.learn(calls, time.Hour) {
					t.Fatalf("%s, after %d: does not continue\n%s", c.name, after, n.describe())
				}
				took := n.now - began
				least, most, members := time.Duration(0), 40*time.Second, size-1
				switch {
				case c.back > 0:
					least, most, members = c.back, c.back+30*time.Second, size
				case c.waits:
					least, most = startPatience*second, (startPatience+40)*second
				}
				if d := last(n.members[0].log); len(d.Members) != members || took < least || took > most {
					t.Errorf("%s, after %d: decided with %v after %s, want %d members after %s to %s", c.name, after, d.Members, took, members, least, most)
				}
				began = n.now
				n.play(statistics(c.round, xs))
				if took := n.now - began; took > 10*time.Second {
					t.Errorf("%s, after %d: the next slot took %s", c.name, after, took)
				}
			}
		})
	}
}

// The first rounds leave out a member that does not promise after startPatience, too, and one whose
// learner computes for ever after slowEarly.
func TestTheFirstRoundsLeaveOutWhoDoesNotCome(t *testing.T) {
	const size, victim, lost = 7, 6, 0
	xs := powers(size)
	for _, round := range []uint32{5, 6} {
		bothSchemes(t, func(t *testing.T, s Settings) {
			n := signed(t, newNetwork(t, size, s))
			for range 4 {
				n.play(statistics(0, xs))
			}
			began := n.now
			for s := range size - 1 {
				n.call(s, statistics(round, xs)(s))
			}
			n.members[victim].calls++ // its learner computes
			n.settle()
			n.pass(2*time.Hour, func() bool { return len(n.members[0].log) == 5 })
			took := n.now - began
			if d := last(n.members[0].log); len(d.Members) != size-1 || round == 5 && took < slowEarly*second || took > (slowEarly+startPatience+100)*second || round == 6 && took > 100*time.Second {
				t.Errorf("round %d: decided with %v after %s\n%s", round, d.Members, took, n.describe())
			}
		})
		bothSchemes(t, func(t *testing.T, s Settings) {
			n := signed(t, newNetwork(t, size, s))
			n.play(statistics(0, xs))
			began := n.now
			n.carries = func(from, _ int, b Body) bool {
				switch b.(type) {
				case *Promise, *Prepare:
					return from != victim
				}
				return true
			}
			n.callAll(statistics(round, xs))
			n.step(lost, Abort{Reason: "it is tired"})
			n.settle()
			n.isolate(lost)
			n.pass(time.Hour, n.over(2))
			took := n.now - began
			if d := n.checkDecisions(); d == nil || fmt.Sprint(d.Members) != "[1 2 3 4 5]" || round == 5 && took < startPatience*second || took > 10*time.Minute || round == 6 && took > time.Minute {
				t.Errorf("round %d: decided %+v after %s\n%s", round, d, took, n.describe())
			}
		})
	}
}

// All members stop while a total waits for one of them. They come back and begin it together.
func TestAllStartAgainBeforeATotal(t *testing.T) {
	eachProtection(t, func(t *testing.T, s Settings) {
		n, xs := signed(t, newNetwork(t, 4, s)), powers(4)
		calls := []func(s int) Call{gatherOf(make([][]byte, 4)), statistics(0, xs), statistics(1, xs)}
		n.kill(2)
		n.learn(calls, 10*time.Minute)
		n.checkWaits(1, 2)
		for s := range n.members {
			n.kill(s)
		}
		n.flight = nil
		for s := range n.members {
			n.restart(s)
		}
		if !n.learn(calls, 10*time.Minute) {
			t.Fatalf("does not continue\n%s", n.describe())
		}
		for slot, d := range n.members[1].log {
			if slot > 0 && len(d.Members) != 4 {
				t.Errorf("slot %d is over %v", slot, d.Members)
			}
		}
		if reason := n.members[1].log[0].Missing; len(reason) != 1 || !strings.Contains(reason[0].Reason, "nothing heard") {
			t.Errorf("missing in slot 0: %v", reason)
		}
	})
}

// In a large roster, too, a total begins with all members, and its first rounds wait for one
// outside the committee.
func TestALargeRosterBeginsATotal(t *testing.T) {
	const size = large
	n := newNetwork(t, size, exact)
	xs := make([][]float64, size)
	for s := range xs {
		xs[s] = []float64{float64(s)}
	}
	victim := n.outsider()
	calls := []func(s int) Call{statistics(0, xs), statistics(1, xs), statistics(2, xs)}
	n.kill(victim)
	if n.learn(calls, time.Minute) || len(n.members[0].log) > 0 {
		t.Fatal("the total begins without a member")
	}
	if st := n.status(n.members[0].roster.Committee[0]); !st.Paused || st.Least != size || len(st.Lost) != 1 {
		t.Errorf("paused %v, %d needed, lost %v", st.Paused, st.Least, st.Lost)
	}
	n.restart(victim)
	if !n.learn(calls[:1], 2*time.Minute) {
		t.Fatalf("does not begin\n%s", n.describe()[:3000])
	}
	n.kill(victim)
	began := n.now
	if !n.learn(calls, 10*time.Minute) {
		t.Fatalf("does not continue\n%s", n.describe()[:3000])
	}
	if took := n.now - began; took < startPatience*second || took > (startPatience+60)*second {
		t.Errorf("continues after %s", took)
	}
	for slot, d := range n.members[0].log {
		if want := size - min(slot, 1); len(d.Members) != want {
			t.Errorf("slot %d is over %d members, want %d", slot, len(d.Members), want)
		}
	}
}

// A volatile member that restarts takes no part in the slot. If that slot waits for all, an
// amendment without any content ends it, and the next one is over all.
func TestAVolatileMemberStopsBeforeATotal(t *testing.T) {
	n, xs := newNetwork(t, 4, exact), powers(4)
	n.volatile = true
	for s := range n.members {
		n.members[s].Machine = must(New(n.params(s)))
	}
	calls := []func(s int) Call{statistics(0, xs), statistics(1, xs)}
	n.callAll(calls[0])
	n.isolate(3)
	n.restart(3)
	if n.learn(calls, 10*time.Minute) {
		t.Fatal("the total begins without a member")
	}
	n.request(revision(1, nil), 0, 1, 2)
	if !n.learn(calls, 2*time.Minute) {
		t.Fatalf("does not continue\n%s", n.describe())
	}
	if got, want := n.total(), sumUp(xs, 0, 1, 2, 3); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
