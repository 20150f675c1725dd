package netsim

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// Crash ends a member's process, which loses all that is not on its disk. It restarts after
// For, if that is above 0.
type Crash struct {
	Member int
	When
	// Amnesia also empties the disk: the member comes back without its promises. No protocol
	// over a fixed roster is safe against that; see the documentation.
	Amnesia bool
}

func (c Crash) check(size int) error { return cmp.Or(checkMember(c.Member, size), c.When.check()) }

func (c Crash) plan(n *network) {
	m := n.members[c.Member]
	if c.For > 0 {
		m.keepsDisk()
	}
	w := c.When
	w.For = 0
	w.plan(n, func(at time.Duration) { n.stop(c.Member, at, c.For, c.Amnesia) }, nil)
}

// Stop is a crash at an instant of a slot: After the time at which the member makes its call.
// Slot 0 is called at the start of the run.
type Stop struct {
	Member int
	Slot   uint64
	After  time.Duration
	// RestartAfter is the time until the restart; 0 means never. The participant then runs from
	// the beginning, with the answers of the calls decided so far.
	RestartAfter time.Duration
}

func (s Stop) check(size int) error {
	if s.After < 0 || s.RestartAfter < 0 {
		return fmt.Errorf("want times of at least 0, got %s and %s", s.After, s.RestartAfter)
	}
	return checkMember(s.Member, size)
}

func (s Stop) plan(n *network) {
	m := n.members[s.Member]
	m.keepsDisk()
	m.stops = append(m.stops, s)
}

// stopAt schedules the planned stop of a member in the slot that it calls.
func (n *network) stopAt(rank int, slot uint64, called time.Duration) {
	m := n.members[rank]
	m.stops = slices.DeleteFunc(m.stops, func(s Stop) bool {
		if s.Slot == slot {
			n.push(event{at: called + s.After, to: nobody, what: deed(func(at time.Duration) { n.stop(rank, at, s.RestartAfter, false) })})
		}
		return s.Slot == slot
	})
}

// Late starts a member's process later than the others'.
type Late struct {
	Member int
	When   // For is ignored
}

func (l Late) check(size int) error { return cmp.Or(checkMember(l.Member, size), l.When.check()) }

func (l Late) plan(n *network) {
	m := n.members[l.Member]
	m.keepsDisk()
	m.state, m.stopped = awaited, []Span{{0, open}}
	process := m.process
	w := l.When
	w.For = 0
	w.plan(n, func(at time.Duration) { n.restart(l.Member, at, process) }, nil)
}

// Churn lets members fail at random. In each model round a present member crashes with
// probability Rate, at a random instant of the round's first attempt. It comes back with its
// state one to three rounds later. If the others do not reach that round, it comes back after a
// minute of virtual time per round.
type Churn struct {
	Rate float64
	When
}

func (c Churn) check(int) error { return cmp.Or(checkRate(c.Rate), c.When.check()) }

func (c Churn) plan(n *network) {
	for _, m := range n.members {
		m.keepsDisk()
	}
	x := &churning{Churn: c, rng: n.source("churn")}
	c.When.plan(n, func(time.Duration) { n.churns = append(n.churns, x) }, func(time.Duration) { x.over = true })
}

type churning struct {
	Churn
	rng  *rand.Rand
	over bool
}

// strike draws whether a member crashes in the round that it has reached, and carries that out.
func (c *churning) strike(n *network, rank int, round uint32, at time.Duration) {
	hit, instant, away := c.rng.Float64() < c.Rate, c.rng.Float64(), 1+c.rng.IntN(3)
	if !hit || c.over {
		return
	}
	m := n.members[rank]
	process := m.process
	attempt := n.config.Compute + attemptSteps*n.config.Latency.Least()
	if m.took > 0 {
		attempt = m.took
	}
	fail := at + time.Duration(instant*float64(attempt))
	n.push(event{at: fail, to: nobody, what: deed(func(at time.Duration) {
		if m.process != process || m.machine == nil {
			return
		}
		n.stop(rank, at, time.Duration(away)*time.Minute, false)
		stopped := m.process
		n.atRound(round+uint32(away), func(at time.Duration) {
			n.push(event{at: at, to: nobody, what: deed(func(at time.Duration) { n.restart(rank, at, stopped) })})
		})
	})})
}

// attemptSteps is roughly the number of consecutive messages in an attempt.
const attemptSteps = 20
