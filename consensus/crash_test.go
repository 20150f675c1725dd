package consensus

import (
	"fmt"
	"testing"
	"time"

	"github.com/collabdict/collabdict/internal/testkit"
)

// A crash is a run of two rounds in which a member stops at one of its writes.
type crash struct {
	settings Settings
	size     int
	victim   int
	at       int           // number of the stop; each write has two, before and after it
	before   []int         // members lost before
	restart  time.Duration // time from the stop to the restart; 0 for none
}

func (c crash) String() string {
	return fmt.Sprintf("%s, %d members without %v: m%d stops at write %d, restart after %s", c.settings.Scheme, c.size, c.before, c.victim, c.at, c.restart)
}

func (c crash) play(t *testing.T) bool {
	t.Helper()
	n := newNetwork(t, c.size, c.settings)
	xs := powers(c.size)
	calls := []func(s int) Call{sumOf(1, xs, oneBlock), sumOf(1, xs, oneBlock), sumOf(2, xs, oneBlock)}
	v := n.members[c.victim]
	v.stopAt = c.at
	for _, s := range c.before {
		n.callDue(calls[:1])
		n.kill(s)
	}
	went := n.learn(calls, 90*time.Second)
	stopped := v.dead
	if stopped && c.restart > 0 {
		n.restart(c.victim)
		went = n.learn(calls, 10*time.Minute)
	}
	up := c.size - len(c.before)
	if v.dead {
		up--
	}
	if least := v.Rules().Least; up >= least && !went {
		t.Fatalf("%s: does not continue\n%s", c, n.describe())
	} else if up < least && !went {
		for _, m := range n.members {
			if st := m.Status(); !m.dead && uint64(len(m.log)) < 3 && !st.Paused {
				t.Fatalf("%s: neither continues nor pauses\n%s", c, n.describe())
			}
		}
	}
	n.checkLogs(xs, oneBlock)
	return stopped
}

func (c crash) everywhere(t *testing.T) {
	t.Helper()
	for c.at = 1; c.play(t); c.at++ {
	}
	if c.at < 20 {
		t.Errorf("%s: want at least 20 stops", c)
	}
}

// If a member stops before or after any write, nobody gets another total. The others continue,
// or pause if they are too few.
func TestStopAtEveryWrite(t *testing.T) {
	mostStopped := testkit.LongOr(5, 4)
	bothSchemes(t, func(t *testing.T, s Settings) {
		for size := 3; size <= mostStopped; size++ {
			for victim := range size {
				crash{settings: s, size: size, victim: victim}.everywhere(t)
			}
		}
	})
}

// A member that restarts after a stop at any write comes back, and keeps its promises, its vote
// and its dealt secrets.
func TestRestartAtEveryWrite(t *testing.T) {
	mostStopped := testkit.LongOr(5, 4)
	bothSchemes(t, func(t *testing.T, s Settings) {
		for size := 3; size <= mostStopped; size++ {
			for victim := range size {
				crash{settings: s, size: size, victim: victim, restart: 2 * time.Second}.everywhere(t)
			}
		}
	})
}

// A stop at any write of a later ballot, after the loss of another member, gives nobody another
// total. A member that restarts comes back.
func TestStopAtEveryWriteOfLaterBallots(t *testing.T) {
	testkit.LongOnly(t)
	bothSchemes(t, func(t *testing.T, s Settings) {
		for _, c := range []crash{
			{size: 5, victim: 0, before: []int{4}},
			{size: 5, victim: 1, before: []int{0}},
			{size: 5, victim: 3, before: []int{0}},
			{size: 4, victim: 0, before: []int{3}, restart: time.Second},
			{size: 4, victim: 2, before: []int{0}, restart: time.Second},
		} {
			c.settings = s
			c.everywhere(t)
		}
	})
}
