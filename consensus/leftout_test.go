package consensus

import (
	"fmt"
	"testing"
	"time"
)

// A member prepares a needless ballot in every slot, ignores the promise of another member that
// all hear, and makes a view of the other promises without it. All others refuse that view, and
// every sum includes the member.
func TestOneMemberLeavesNobodyOut(t *testing.T) {
	for _, size := range []int{4, 5, 7} {
		bothSchemes(t, func(t *testing.T, s Settings) {
			const active, victim, slots = 1, 3, 6
			n := signed(t, newNetwork(t, size, s))
			xs := powers(size)
			n.carries = func(from, to int, b Body) bool {
				_, promises := b.(*Promise)
				return !promises || from != victim || to != active
			}
			refusals := 0
			for slot := range slots {
				m := n.members[active]
				begun := n.now
				n.callAll(sumOf(uint32(slot+1), xs, oneBlock))
				calls := n.flight
				n.flight = nil
				var e Effects
				m.propose(&e)
				n.carryOut(active, e)
				n.settle()
				v := &View{Ballot: m.slot.ballots.promised, Missing: []Missing{{victim, "lost"}}}
				m.slot.ballots.promises[active] = m.slot.ballots.ownPromise(true, []uint32{victim}, [32]byte{})
				for rank := range size {
					if p, promised := m.slot.ballots.promises[rank]; promised {
						v.Promises, v.Members = append(v.Promises, p), append(v.Members, uint32(rank))
					}
				}
				if len(v.Members) != size-1 {
					t.Fatalf("only %v have promised ballot %d", v.Members, v.Ballot)
				}
				want := fmt.Sprintf("view of ballot %d: leaves out member %d, which fewer than %d promises name", v.Ballot, victim, m.roster.Colluders+1)
				for rank, other := range n.members {
					if rank == active {
						continue
					}
					if err := other.checksView(v); err == nil || err.Error() != want {
						t.Fatalf("member %d in slot %d: %v, want %s", rank, slot, err, want)
					}
					refusals++
					n.receive(rank, active, Message{Slot: m.slot.number, Ballot: v.Ballot, Body: v})
				}
				n.flight = append(n.flight, calls...)
				n.settle()
				n.pass(time.Hour, n.over(slot+1))
				d := n.checkDecisions()
				if d == nil || d.Slot != uint64(slot) || len(d.Members) != size {
					t.Fatalf("slot %d: decided %+v\n%s", slot, d, n.describe())
				}
				if took := n.now - begun; took > 30*time.Second {
					t.Errorf("slot %d of %d members took %s", slot, size, took)
				}
			}
			n.checkLogs(xs, oneBlock)
			if refusals != slots*(size-1) {
				t.Errorf("%d refusals", refusals)
			}
		})
	}
}

// An owner that sends no view of its ballot delays the slot: the others hold the next ballot.
func TestAnOwnerWithoutAView(t *testing.T) {
	bothSchemes(t, func(t *testing.T, s Settings) {
		const size, owner = 5, 2
		n := newNetwork(t, size, s)
		xs := powers(size)
		n.carries = func(from, _ int, b Body) bool {
			_, view := b.(*View)
			return !view || from != owner
		}
		n.callAll(sumOf(1, xs, oneBlock))
		n.flight = nil
		var e Effects
		n.members[owner].propose(&e)
		n.carryOut(owner, e)
		n.settle()
		n.pass(time.Hour, n.over(1))
		if d := n.checkDecisions(); d == nil || len(d.Members) != size || d.Cost.Ballot == owner || n.now > time.Minute {
			t.Fatalf("decided %+v at %s\n%s", d, n.now, n.describe())
		}
		n.checkLogs(xs, oneBlock)
	})
}

// A member that all hear but that promises nothing does not hold up the others for ever. Each
// owner in turn finds that it does not answer, until enough of them would leave it out.
func TestAMemberThatNeverPromises(t *testing.T) {
	bothSchemes(t, func(t *testing.T, s Settings) {
		const size, lost, mute = 7, 0, 6
		n := newNetwork(t, size, s)
		xs := powers(size)
		n.carries = func(from, _ int, b Body) bool {
			_, promises := b.(*Promise)
			return !promises || from != mute
		}
		n.callAll(sumOf(1, xs, oneBlock))
		n.isolate(lost)
		n.settle()
		n.pass(time.Hour, n.over(1))
		d := n.checkDecisions()
		if d == nil || fmt.Sprint(d.Members) != "[1 2 3 4 5]" || n.now > time.Minute {
			t.Fatalf("decided %+v at %s\n%s", d, n.now, n.describe())
		}
		n.checkLogs(xs, oneBlock)
	})
}

// A member whose learner is behind is left out once it reports itself that it does not come,
// not because of a promise that it gave just after the slot began.
func TestAMemberThatIsBehindReportsIt(t *testing.T) {
	bothSchemes(t, func(t *testing.T, s Settings) {
		const size, behind = 4, 3
		n := newNetwork(t, size, s)
		xs := powers(size)
		for range 2 {
			n.play(sumOf(1, xs, oneBlock))
		}
		n.restart(behind)
		for rank := range behind {
			n.call(rank, sumOf(2, xs, oneBlock)(rank))
		}
		n.flight = nil
		var e Effects
		n.members[0].propose(&e)
		n.carryOut(0, e)
		n.settle()
		b := &n.members[0].slot.ballots
		p, promised := b.promises[behind]
		if !promised || p.Joins || p.Without != nil || b.made[b.promised] != nil {
			t.Fatalf("promise %+v of a member whose learner has not come, view %+v", p, b.made[b.promised])
		}
		for end := n.now + 30*time.Second; n.now < end && len(n.members[0].log) < 3; n.settle() {
			n.now += 500 * time.Millisecond
			for rank, m := range n.members {
				learner := m.next()
				if rank == behind {
					learner = 0
				}
				n.step(rank, Tick{Learner: learner})
			}
		}
		if log := n.members[0].log; len(log) < 3 || fmt.Sprint(log[2].Members) != "[0 1 2]" {
			t.Fatalf("not decided without it\n%s", n.describe())
		}
	})
}

// Two members hear each other's heartbeats, but not what they deal. All others identify the
// same one of the two from the waiting sets, and continue without it.
func TestALinkThatCarriesHeartbeatsOnly(t *testing.T) {
	bothSchemes(t, func(t *testing.T, s Settings) {
		const size = 7
		for low, high := range map[int]int{0: 1, 1: 5, 4: 6} {
			n := newNetwork(t, size, s)
			xs := powers(size)
			n.carries = func(from, to int, b Body) bool {
				if min(from, to) != low || max(from, to) != high {
					return true
				}
				switch b.(type) {
				case *Seeds, *Step:
					return false
				}
				return true
			}
			n.play(sumOf(1, xs, oneBlock))
			if d := n.checkDecisions(); d == nil || len(d.Missing) != 1 || int(d.Missing[0].Member) != high || n.now > 3*time.Minute {
				t.Errorf("%d and %d: decided %+v at %s", low, high, d, n.now)
			}
			n.checkLogs(xs, oneBlock)
		}
	})
}
