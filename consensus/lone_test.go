package consensus

import (
	"testing"
	"time"
)

// Under the policy wait no two sums differ by few members: the others wait for one
// that is lost, also when they were started again meanwhile.
func TestLoneChangesAreWaitedFor(t *testing.T) {
	bothSchemes(t, func(t *testing.T, s Settings) {
		s.OnLoneChange = AvoidLoneChange
		n := newNetwork(t, 7, s)
		xs := powers(7)
		calls := []func(int) Call{sumOf(1, xs, oneBlock), sumOf(2, xs, oneBlock), sumOf(3, xs, oneBlock)}
		if !n.learn(calls[:1], time.Minute) {
			t.Fatal(n.describe())
		}
		n.isolate(6)
		if n.learn(calls[:2], 2*time.Minute) {
			t.Fatalf("a sum without one: %+v", n.members[0].log[1])
		}
		held := 0
		for s := range 6 {
			if st := n.status(s); st.Paused && st.Held != "" {
				held++
			}
		}
		if held == 0 {
			t.Errorf("nobody says why: %s", n.describe())
		}
		for s := range 3 {
			n.kill(s)
			n.restart(s)
		}
		if n.learn(calls[:2], 2*time.Minute) {
			t.Fatalf("a sum without one after restarts: %+v", n.members[0].log[1])
		}
		n.restart(6)
		if !n.learn(calls, 10*time.Minute) {
			t.Fatal(n.describe())
		}
		n.checkLogs(xs, oneBlock)
		for _, d := range n.members[0].log {
			if len(d.Missing) > 0 {
				t.Errorf("slot %d: missing %v", d.Slot, d.Missing)
			}
		}
	})
}

// So many may be missing that their sum hides each.
func TestManyMembersMayBeMissing(t *testing.T) {
	s := exact
	s.OnLoneChange, s.Colluders = AvoidLoneChange, 1
	n := newNetwork(t, 9, s)
	xs := powers(9)
	calls := []func(int) Call{sumOf(1, xs, oneBlock), sumOf(2, xs, oneBlock)}
	if !n.learn(calls[:1], time.Minute) {
		t.Fatal(n.describe())
	}
	for s := range 3 {
		n.isolate(s)
	}
	if !n.learn(calls, 10*time.Minute) {
		t.Fatal(n.describe())
	}
	n.checkLogs(xs, oneBlock)
}

func TestDiffer(t *testing.T) {
	for _, c := range []struct {
		a, b []uint32
		want int
	}{{nil, nil, 0}, {[]uint32{1}, nil, 1}, {[]uint32{0, 1, 2}, []uint32{0, 2}, 1}, {[]uint32{0, 3}, []uint32{1, 3, 4}, 3}} {
		if got := differ(c.a, c.b); got != c.want || differ(c.b, c.a) != c.want {
			t.Errorf("%v and %v: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
