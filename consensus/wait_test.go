package consensus

import (
	"fmt"
	"testing"
	"time"

	"github.com/collabdict/collabdict"
)

func TestASlowMemberIsWaitedFor(t *testing.T) {
	bothSchemes(t, func(t *testing.T, s Settings) {
		n := newNetwork(t, 3, s)
		xs := randomVectors(4, 3)
		call := sumOf(1, xs, testBlocks)
		for s := range 2 {
			n.call(s, call(s))
		}
		n.settle()
		n.pass(time.Hour, nil)
		if st := n.status(0); fmt.Sprint(st.Waiting) != "[2]" || st.State != Dealt || st.Paused || st.Stuck != "" {
			t.Fatalf("member 0 waits in state %s for %v, paused %v, stuck %q; want [2] in dealt", st.State, st.Waiting, st.Paused, st.Stuck)
		}
		n.call(2, call(2))
		n.settle()
		n.pass(time.Minute, n.over(1))
		checkTotal(t, n.checkDecisions(), xs, testBlocks, 1e-6)
	})
}

// A member that takes many times its usual time is left out, and joins again in the round after
// it has caught up.
func TestAMemberThatIsTooSlowIsLeftOut(t *testing.T) {
	bothSchemes(t, func(t *testing.T, s Settings) {
		const size, slow = 5, 3
		n := newNetwork(t, size, s)
		xs := randomVectors(5, size)
		for round := range uint32(4) {
			n.pass(4*time.Second, nil)
			n.play(sumOf(StartRounds+round, xs, testBlocks))
			if d := n.checkDecisions(); len(d.Members) != size {
				t.Fatalf("round %d: missing %s", round, n.missingOf(d))
			}
		}
		for s := range size {
			if s != slow {
				n.call(s, sumOf(StartRounds+4, xs, testBlocks)(s))
			}
		}
		n.pass(15*time.Second, nil)
		if len(n.members[0].log) > 4 {
			t.Fatal("was not waited for")
		}
		n.pass(time.Minute, n.over(5))
		d := n.checkDecisions()
		checkTotal(t, d, xs, testBlocks, 1e-6)
		if got := n.missingOf(d); got != "m3: slow" {
			t.Fatalf("missing %q, want m3: slow", got)
		}
		n.catchUp(slow, sumOf(StartRounds+4, xs, testBlocks))
		n.pass(3*time.Second, nil)
		n.play(sumOf(StartRounds+5, xs, testBlocks))
		d = n.checkDecisions()
		checkTotal(t, d, xs, testBlocks, 1e-6)
		if len(d.Members) != size {
			t.Errorf("then missing %s", n.missingOf(d))
		}
	})
}

// In the start, a member that is heard is waited for although its update takes long, however short those
// before were: a pass over its rows may be one of another system.
func TestALongUpdateInTheStartIsWaitedFor(t *testing.T) {
	bothSchemes(t, func(t *testing.T, s Settings) {
		const size, slow = 5, 3
		n := newNetwork(t, size, s)
		xs := randomVectors(5, size)
		n.play(sumOf(0, xs, testBlocks))
		for s := range size {
			if s != slow {
				n.call(s, sumOf(0, xs, testBlocks)(s))
			}
		}
		n.pass(50*time.Minute, nil)
		n.call(slow, sumOf(0, xs, testBlocks)(slow))
		n.settle()
		n.pass(time.Minute, n.over(2))
		d := n.checkDecisions()
		checkTotal(t, d, xs, testBlocks, 1e-6)
		if len(d.Members) != size {
			t.Errorf("missing %s", n.missingOf(d))
		}
	})
}

// Members that are needed are waited for, however slow they are.
func TestASlowMemberThatIsNeededIsWaitedFor(t *testing.T) {
	bothSchemes(t, func(t *testing.T, s Settings) {
		n := newNetwork(t, 3, s)
		xs := randomVectors(5, 3)
		for round := range uint32(4) {
			n.pass(4*time.Second, nil)
			n.play(sumOf(round, xs, testBlocks))
		}
		call := sumOf(4, xs, testBlocks)
		for s := range 2 {
			n.call(s, call(s))
		}
		n.pass(10*time.Minute, nil)
		if st := n.status(0); st.Ballot != 0 || fmt.Sprint(st.Waiting) != "[2]" {
			t.Errorf("in ballot %d, %s, waiting for %v", st.Ballot, st.State, st.Waiting)
		}
		n.call(2, call(2))
		n.settle()
		n.pass(time.Minute, n.over(5))
		checkTotal(t, n.checkDecisions(), xs, testBlocks, 1e-6)
	})
}

// A broken link between two neighbours holds up the session. If one of the two can be spared,
// it is left out. If both are needed, the run continues when the link works again.
func TestABrokenLink(t *testing.T) {
	bothSchemes(t, func(t *testing.T, s Settings) {
		for _, size := range []int{3, 5} {
			n := newNetwork(t, size, s)
			n.cut = func(from, to int) bool { return from+to == 3 && from*to == 2 }
			xs := randomVectors(9, size)
			n.callAll(sumOf(1, xs, testBlocks))
			n.settle()
			n.pass(10*time.Minute, n.over(1))
			if size == 3 {
				if len(n.members[0].log) > 0 {
					t.Fatal("decided over a link that is cut")
				}
				n.cut = nil
				n.pass(10*time.Minute, n.over(1))
			}
			d := n.checkDecisions()
			if d == nil {
				t.Fatalf("%d members: did not decide\n%s", size, n.describe())
			}
			checkTotal(t, d, xs, testBlocks, 1e-6)
		}
	})
}

func TestAStoppedProcessDoesNotBlameTheOthers(t *testing.T) {
	n := newNetwork(t, 3, floating)
	n.call(0, gatherOf(make([][]byte, 3))(0))
	n.pass(5*time.Second, nil)
	n.flight = nil
	n.now += time.Hour
	n.step(0, Tick{Learner: 1})
	if st := n.status(0); st.Lost != nil || st.Stuck != "" || n.members[0].err != nil {
		t.Errorf("lost %v, stuck %q, error %v", st.Lost, st.Stuck, n.members[0].err)
	}
	for _, d := range n.flight {
		if b, beat := d.msg.Body.(*Heartbeat); !beat || b.Suspects != nil {
			t.Errorf("sent %#v", d.msg.Body)
		}
	}
}

// A slow carrier does not get the same message at every heartbeat.
func TestHelpBacksOff(t *testing.T) {
	for _, s := range []Settings{floating, exact} {
		n := newNetwork(t, 3, s)
		n.callAll(sumOf(0, powers(3), oneBlock))
		sent := map[string]int{}
		for range 200 { // for 100 s nothing on the data plane arrives
			n.now += 500 * time.Millisecond
			for s := range 3 {
				n.step(s, Tick{Learner: 1})
			}
			flight := n.flight
			n.flight = nil
			for _, d := range flight {
				if _, beat := d.msg.Body.(*Heartbeat); beat {
					n.receive(d.to, d.from, d.msg)
				} else if d.from == 0 && d.to == 1 {
					sent[describeBody(d.msg)]++
				}
			}
		}
		if seeds, prepares := sent["seeds"], sent["prepare@3"]; seeds < 3 || seeds > 12 || prepares > 20 {
			t.Errorf("%s: sent in 100 s: %v, want a few of each", s.Scheme, sent)
		}
	}
}

// Nobody waits for a member that has finished, before or after the others' calls.
func TestAMemberThatFinishedEarlyIsNamed(t *testing.T) {
	for _, before := range []bool{true, false} {
		n := newNetwork(t, 3, floating)
		if before {
			n.step(0, Finish{})
			n.settle()
		}
		for s := 1; s < 3; s++ {
			n.call(s, gatherOf(make([][]byte, 3))(s))
		}
		n.settle()
		if !before {
			n.step(0, Finish{})
			n.settle()
		}
		for s := 1; s < 3; s++ {
			lost, ok := as[*LostError](n.members[s].err)
			if !ok || lost.Names[0] != "m0" || lost.Reason[:15] != "it has finished" {
				t.Errorf("member %d ended with %v", s, n.members[s].err)
			}
		}
	}
}

// With fewer members than the least number, the run pauses, names the members that it waits
// for, and continues when they are back. Of three members all are needed, of five three.
func TestTooFewMembersPause(t *testing.T) {
	bothSchemes(t, func(t *testing.T, s Settings) {
		for _, c := range []struct {
			size int
			gone []int
		}{{3, []int{2}}, {3, []int{0}}, {4, []int{1, 3}}, {5, []int{0, 2, 4}}} {
			n := newNetwork(t, c.size, s)
			xs := randomVectors(6, c.size)
			n.play(sumOf(1, xs, testBlocks))
			for _, s := range c.gone {
				n.kill(s)
			}
			call := sumOf(2, xs, testBlocks)
			n.callAll(call)
			n.settle()
			n.pass(5*time.Minute, nil)
			for s, m := range n.members {
				if m.dead {
					continue
				}
				st := m.Status()
				if m.err != nil || !st.Paused || len(st.Lost) != len(c.gone) || fmt.Sprint(st.Waiting) != fmt.Sprint(c.gone) || st.Slot != 1 {
					t.Fatalf("%d members without %v: member %d has %v, paused %v, lost %v, waits for %v", c.size, c.gone, s, m.err, st.Paused, st.Lost, st.Waiting)
				}
			}
			for _, s := range c.gone {
				n.restart(s)
				n.call(s, call(s))
				n.call(s, call(s))
			}
			n.settle()
			n.pass(10*time.Minute, n.over(2))
			d := n.checkDecisions()
			if len(n.members[0].log) != 2 {
				t.Fatalf("%d members without %v: did not continue\n%s", c.size, c.gone, n.describe())
			}
			checkTotal(t, d, xs, testBlocks, 1e-6)
		}
	})
}

// If members leave for good, the others continue as long as enough are left. They wait for
// members that may come back.
func TestLeaving(t *testing.T) {
	for name, c := range map[string]struct {
		size    int
		leave   []int
		returns bool
		ends    bool
		pauses  bool
	}{
		"one of three":            {size: 3, leave: []int{2}, ends: true},
		"one of three, returns":   {size: 3, leave: []int{2}, returns: true, pauses: true},
		"one of five":             {size: 5, leave: []int{1}},
		"two of five, returns":    {size: 5, leave: []int{1, 4}, returns: true},
		"three of five":           {size: 5, leave: []int{0, 1, 4}, ends: true},
		"three of five, returns":  {size: 5, leave: []int{0, 1, 4}, returns: true, pauses: true},
		"two of four":             {size: 4, leave: []int{0, 1}, ends: true},
		"one of four, the lowest": {size: 4, leave: []int{0}},
	} {
		t.Run(name, func(t *testing.T) {
			n := newNetwork(t, c.size, exact)
			xs := randomVectors(7, c.size)
			for s := range c.size {
				leaves := false
				for _, l := range c.leave {
					leaves = leaves || l == s
				}
				if !leaves {
					n.call(s, sumOf(1, xs, testBlocks)(s))
				}
			}
			n.settle()
			for _, s := range c.leave {
				n.step(s, Abort{Reason: "was stopped \x1b[31mby its operator", Returns: c.returns})
				n.settle()
				n.kill(s)
			}
			n.pass(3*time.Minute, n.over(1))
			for s, m := range n.members {
				if m.dead {
					continue
				}
				st := m.Status()
				lost, ended := as[*LostError](m.err)
				if ended != c.ends || st.Paused != c.pauses || len(m.log) > 0 != (!c.ends && !c.pauses) {
					t.Fatalf("member %d ended with %v, paused %v, decided %d", s, m.err, st.Paused, len(m.log))
				}
				if ended && (len(lost.Names) != len(c.leave) || lost.Reason != "was stopped  [31mby its operator") {
					t.Errorf("member %d ended with %q", s, lost.Error())
				}
				if len(m.log) > 0 {
					checkTotal(t, m.log[0], xs, testBlocks, 1e-6)
					if len(m.log[0].Members) != c.size-len(c.leave) {
						t.Errorf("decided over %v", m.log[0].Members)
					}
				}
			}
		})
	}
}

// A private value outside its bound ends the run at its member, but the others learn nothing
// about the value.
func TestALeaveRevealsNoPrivateValue(t *testing.T) {
	n := newNetwork(t, 3, floating)
	n.call(0, Call{Kind: Sum, Values: []float64{123456}, Blocks: []collabdict.Block{{Len: 1, Bound: 1}}})
	if n.members[0].err == nil || len(n.flight) == 0 {
		t.Fatal("no error, or nobody hears of it")
	}
	for _, d := range n.flight {
		if l, leaves := d.msg.Body.(*Leave); !leaves || l.Reason != "it ended with an error; see its log" || l.Returns {
			t.Errorf("sent %#v", d.msg.Body)
		}
	}
}
