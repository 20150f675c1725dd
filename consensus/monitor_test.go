package consensus

import (
	"maps"
	"slices"
	"testing"
	"time"
)

const second = time.Second

// monitored returns the monitor of member 1 of five in slot 3. It has received a heartbeat from
// all others every second up to the given time.
func monitored(until time.Duration) (monitor, *standing) {
	all := []uint32{0, 1, 2, 3, 4}
	w := newMonitor(&roster{Rules: Rules{Size: 5, Quorum: 3, Least: 3}, self: 1, names: []string{"a", "b", "c", "d", "e"}}, second, 3)
	st := &standing{slot: 3, state: Session, preset: &View{Members: all}, working: &View{Members: all}}
	for now := time.Duration(0); now <= until; now += second {
		w.pass(now)
		for _, from := range []int{0, 2, 3, 4} {
			w.receives(now, from, Heartbeat{State: Session})
		}
	}
	w.step(until)
	return w, st
}

// receives delivers a heartbeat to the monitor.
func (w *monitor) receives(now time.Duration, from int, b Heartbeat) {
	w.hear(now, from)
	w.heartbeat(now, from, 3, &b, 3, 0)
}

// A member is silent after two heartbeats and lost after eight, or later if its heartbeats are
// irregular. A member that leaves is lost at once, until it comes back.
func TestMonitorJudgesLost(t *testing.T) {
	w, _ := monitored(20 * second)
	for _, c := range []struct {
		silent       time.Duration
		absent, lost bool
	}{{2 * second, false, false}, {3 * second, true, false}, {8 * second, true, false}, {9 * second, true, true}} {
		now := 20*second + c.silent
		if w.silent(now, 2) != c.absent || w.lost(now, 2) != c.lost {
			t.Errorf("after %s: silent %v, lost %v", c.silent, w.silent(now, 2), w.lost(now, 2))
		}
	}
	now := 20 * second
	for i := range 16 {
		now += time.Duration(1+8*(i%2)) * second
		w.receives(now, 3, Heartbeat{State: Session})
	}
	if w.lost(now+20*second, 3) || !w.lost(now+45*second, 3) {
		t.Error("irregular heartbeats make no difference")
	}
	w.leave(now, 4, &Leave{Reason: "it is tired"})
	if !w.lost(now, 4) || w.whyAbsent(now, 4, 3) != "it is tired" {
		t.Error("a member that has left is not lost")
	}
	w.receives(now+4*second, 4, Heartbeat{State: Idle})
	if w.lost(now+4*second, 4) {
		t.Error("a member that has come back is lost")
	}
}

// A process that was stopped itself gives the others time to send.
func TestMonitorOfAStoppedProcess(t *testing.T) {
	w, st := monitored(20 * second)
	w.pass(3600 * second)
	if got := w.lostMembers(3600 * second); got != nil || w.whyStuck(3600*second, st) != "" {
		t.Errorf("takes %v for lost", got)
	}
}

// The lowest rank of a quorum that is stuck proposes the next ballot, and the next rank two
// heartbeats later.
func TestMonitorTakesTurns(t *testing.T) {
	w, st := monitored(20 * second)
	w.leave(20*second, 4, &Leave{})
	if w.judge(20*second, st) || w.stuck == "" || w.due != 20*second {
		t.Fatalf("alone: %q, the next heartbeat is due at %s", w.stuck, w.due)
	}
	w.receives(20*second, 3, Heartbeat{State: Session, Stuck: true})
	if w.judge(20*second, st) {
		t.Fatal("two of five propose")
	}
	w.receives(20*second, 0, Heartbeat{State: Session, Stuck: true})
	if w.judge(20*second, st) || w.judge(21*second, st) || !w.judge(22*second, st) {
		t.Error("does not wait for the lower rank for two heartbeats")
	}
	if w.stuck != "" {
		t.Error("a ballot is stuck before it has begun")
	}
}

// Members take turns from the moment at which a quorum sees that the ballot of most members has
// failed, even at a member that has missed the ballot. Heartbeats of the ballot before do not
// count.
func TestMonitorCountsTurnsFromTheBallotOfMost(t *testing.T) {
	w, st := monitored(20 * second)
	w.leave(20*second, 4, &Leave{})
	now := 30 * second
	w.judge(now, st) // only this member, for a while
	now += 10 * second
	for _, from := range []int{0, 2, 3} {
		w.receives(now, from, Heartbeat{State: Promised, Promised: 6, Stuck: true})
	}
	if w.reachedBallot(now, st) != 6 || w.judge(now, st) || w.stuckSince != now {
		t.Errorf("stuck in ballot %d since %s, want 6 since %s", w.stuckIn, w.stuckSince, now)
	}
	w.receives(now, 3, Heartbeat{State: Promised, Promised: 900, Stuck: true})
	if got := w.reachedBallot(now, st); got != 6 {
		t.Errorf("one member's word makes ballot %d the one that a quorum has promised", got)
	}
	st.promised = 7
	w.promises(now + second)
	if _, agree := w.turn(now+second, st, 7); agree != 2 {
		t.Errorf("%d members are stuck in ballot 7 or above, want this one and member 3", agree)
	}
	w.receives(now+second, 0, Heartbeat{State: Promised, Promised: 6, Stuck: true})
	if _, agree := w.turn(now+second, st, 7); agree != 3 {
		t.Errorf("%d members are stuck, want member 0, which reports it again", agree)
	}
}

// After a member's ballot the turns continue with the next rank, in a circle. So a member that
// cannot make a view is not the next one again.
func TestTurnsGoRound(t *testing.T) {
	for name, c := range map[string]struct {
		rules  Rules
		failed uint32
		want   []int
	}{
		"all":         {Rules{Size: 5}, 0, []int{0, 1, 2, 3, 4}},
		"after 1":     {Rules{Size: 5}, 6, []int{2, 3, 4, 0, 1}},
		"after 4":     {Rules{Size: 5}, 9, []int{0, 1, 2, 3, 4}},
		"amended":     {Rules{Size: 3, ranks: []int{0, 2, 5}}, 4, []int{5, 0, 2}},
		"a committee": {Rules{Size: 9, Committee: []int{1, 4, 6}}, 3, []int{4, 6, 1}},
	} {
		for turn, member := range c.want {
			if got := c.rules.turn(member, c.failed); got != turn {
				t.Errorf("%s: turn %d of member %d, want %d", name, got, member, turn)
			}
		}
	}
}

// A session without progress is stalled, unless a frame of a long sum reaches another member. A
// member that holds it up twice is excluded, and readmitted if there is no other way.
func TestMonitorExcludesWhoStalls(t *testing.T) {
	w, st := monitored(20 * second)
	st.waiting = []int{2}
	deliver := func(now time.Duration, heard uint32) {
		w.receives(now, 0, Heartbeat{State: Session, Stuck: true, Heard: heard})
		w.receives(now, 2, Heartbeat{State: Session, Waiting: []uint32{3}})
		w.receives(now, 3, Heartbeat{State: Session, Stuck: true})
		w.receives(now, 4, Heartbeat{State: Session})
	}
	now := 41 * second
	deliver(now, 1)
	if w.whyStuck(now, st) != "" {
		t.Error("a long sum that comes to another member is stalled")
	}
	for range 2 {
		now += 30 * second
		deliver(now, 1)
		w.judge(now, st)
		now += 2 * second
		deliver(now, 1)
		if !w.judge(now, st) {
			t.Fatalf("does not propose: %q", w.stuck)
		}
		w.noteStall(now, st)
	}
	if !w.excluded[3] || len(w.excluded) != 1 {
		t.Errorf("excludes %v, want member 3, which all wait for", w.excluded)
	}
	if !w.pardon() || w.pardon() || len(w.excluded) > 0 {
		t.Error("nobody is pardoned, or twice")
	}
}

// Members that wait for each other in a circle hold up the slot together.
func TestMonitorFollowsWaitingMembers(t *testing.T) {
	w, st := monitored(20 * second)
	st.waiting = []int{0, 2}
	for from, waits := range map[int][]uint32{0: {2}, 2: {0}} {
		w.receives(20*second, from, Heartbeat{State: Session, Waiting: waits})
	}
	if got := w.holdingUp(20*second, st); !slices.Equal(got, []int{0, 2}) {
		t.Errorf("a circle: %v", got)
	}
	w.receives(20*second, 2, Heartbeat{State: Session, Waiting: []uint32{4, 77}})
	if got := w.holdingUp(20*second, st); !slices.Equal(got, []int{4}) {
		t.Errorf("got %v, want the end of the chain", got)
	}
}

// Two members that consider each other lost, and that this one hears, are the ends of a broken
// link. After one stalled session the others continue without the higher rank, which is not
// invited while the link is broken. If only one of the two reports the link, it takes two
// sessions.
func TestMonitorFindsBrokenLinks(t *testing.T) {
	for _, c := range []struct {
		of3 []uint32       // members that member 3 considers lost
		out []map[int]bool // after each stall
	}{
		{[]uint32{2}, []map[int]bool{{3: true}}},
		{nil, []map[int]bool{{}, {3: true}}},
	} {
		w, st := monitored(20 * second)
		st.waiting = []int{0, 2}
		now := 50 * second
		w.receives(now, 0, Heartbeat{State: Session, Waiting: []uint32{3}})
		w.receives(now, 2, Heartbeat{State: Session, Waiting: []uint32{3}, Suspects: []uint32{3}})
		w.receives(now, 3, Heartbeat{State: Session, Waiting: []uint32{2}, Suspects: c.of3})
		w.receives(now, 4, Heartbeat{State: Session})
		if got := w.holdingUp(now, st); !slices.Equal(got, []int{2, 3}) {
			t.Errorf("%v hold the session up, want the ends of the link", got)
		}
		for i, out := range c.out {
			w.noteStall(now, st)
			if !maps.Equal(w.excluded, out) {
				t.Errorf("after %d stalls: excludes %v, want %v", i+1, w.excluded, out)
			}
		}
		inside := &View{Members: []uint32{1, 2, 4}}
		if w.comes(now, 3, 3, inside) != (c.of3 == nil) || !w.comes(now, 3, 3, &View{Members: []uint32{1, 4}}) {
			t.Errorf("member 3, which does not hear %v: is expected beside %v: %v", c.of3, inside.Members, w.comes(now, 3, 3, inside))
		}
	}
}

// A promise names exactly the members that its sender has a reason to leave out.
func TestMonitorNamesMembersToLeaveOut(t *testing.T) {
	w, st := monitored(20 * second)
	w.nextSlot(20 * second)
	names := func(now time.Duration, joins bool, want ...uint32) {
		t.Helper()
		if got := w.without(now, st, joins); !slices.Equal(got, want) {
			t.Errorf("at %s: names %v, want %v", now, got, want)
		}
	}
	names(20*second, false)
	for _, from := range []int{0, 3, 4} {
		w.receives(22*second, from, Heartbeat{State: Session, Behind: from == 4})
	}
	names(22*second, false)
	names(23*second, true, 2, 4)     // silent, and behind
	names(23*second, false, 1, 2, 4) // including this member itself
	w.excluded[0] = true
	w.misses(3, 6)
	names(23*second, true, 0, 2, 3, 4)
	st.preset = &View{Members: []uint32{0, 1, 2}}
	names(23*second, true, 0, 2)
	w.joins(3)
	w.nextSlot(23 * second)
	names(23*second, true, 2)
}

// A member that computes for three times its usual time is slow, if enough others remain.
func TestMonitorJudgesSlow(t *testing.T) {
	w, st := monitored(20 * second)
	now := 20 * second
	for slot := uint64(4); slot < 8; slot++ {
		w.heartbeat(now, 2, slot, &Heartbeat{State: Idle}, slot, 0)
		now += 10 * second
		if slot < 7 {
			w.opens(now, 2)
		}
		st.slot, st.began = slot, now-10*second
	}
	for _, from := range []int{0, 3, 4} {
		w.hear(now+60*second, from)
	}
	w.heartbeat(now+15*second, 2, 7, &Heartbeat{State: Idle}, 7, 0)
	w.hear(now+60*second, 2)
	if w.spared(now+20*second, 2, st) || !w.spared(now+21*second, 2, st) {
		t.Error("not slow after three times the usual 10 s")
	}
	w.leave(now, 3, &Leave{})
	w.leave(now, 4, &Leave{})
	if w.spared(now+21*second, 2, st) {
		t.Error("a member that is needed is left out as slow")
	}
}

// The lowest rank in the view invites members outside that keep up, but not those that did not
// come before.
func TestMonitorInvites(t *testing.T) {
	w, _ := monitored(20 * second)
	inside := &View{Members: []uint32{0, 1, 2}}
	if w.invites(20*second, 3, inside) {
		t.Error("invites though member 0 is there")
	}
	w.leave(20*second, 0, &Leave{Returns: true})
	if !w.invites(20*second, 3, inside) {
		t.Error("does not invite members 3 and 4")
	}
	for range 2 {
		for _, s := range []int{3, 4} {
			w.receives(20*second, s, Heartbeat{State: Idle, Behind: true})
		}
		w.note(20*second, second, true, true, inside.Members)
	}
	if w.invites(20*second, 3, inside) {
		t.Error("invites a member that is behind")
	}
	if w.abandoned() != nil {
		t.Error("a member that comes back has left for good")
	}
}

// The same help is sent again after one heartbeat, and then after twice the time each time.
func TestMonitorDoublesTheWaitForHelp(t *testing.T) {
	w, _ := monitored(20 * second)
	var given []time.Duration
	for now := time.Duration(0); now < 64*second; now += second / 2 {
		if w.help(now, 2, true, 3, &Heartbeat{State: Session}, 0) != nil {
			given = append(given, now/second)
		}
	}
	if !slices.Equal(given, []time.Duration{0, 1, 3, 7, 15, 31, 63}) {
		t.Errorf("given after %d s", given)
	}
	if w.help(64*second, 2, true, 3, &Heartbeat{State: Voted}, 0) == nil {
		t.Error("other help has to wait")
	}
}

// The waiting sets lead to the same circle from every starting point.
func TestMonitorFindsTheSameCircle(t *testing.T) {
	w, st := monitored(20 * second)
	for from, waits := range map[int][]uint32{0: {2, 3}, 2: {4}, 3: {0, 2}, 4: {2}} {
		w.receives(20*second, from, Heartbeat{State: Session, Waiting: waits})
	}
	for _, waiting := range [][]int{{0}, {3}, {2}, {4}, {0, 2, 3, 4}} {
		st.waiting = waiting
		if got := w.holdingUp(20*second, st); !slices.Equal(got, []int{2, 4}) {
			t.Errorf("from %v: %v, want the circle of 2 and 4", waiting, got)
		}
	}
}
