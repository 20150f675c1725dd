package netsim

import (
	"fmt"
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

func (c Crash) check(size int) error { return firstOf(checkMember(c.Member, size), c.When.check()) }

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

func (l Late) check(size int) error { return firstOf(checkMember(l.Member, size), l.When.check()) }

func (l Late) plan(n *network) {
	m := n.members[l.Member]
	m.keepsDisk()
	m.state, m.stopped = awaited, []Span{{0, open}}
	process := m.process
	w := l.When
	w.For = 0
	w.plan(n, func(at time.Duration) { n.restart(l.Member, at, process) }, nil)
}
