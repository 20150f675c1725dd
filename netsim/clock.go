package netsim

import (
	"fmt"
	"math"
	"time"
)

// Clock gives a member a clock that is ahead by Offset at the start of the run and runs at Rate
// times the speed of virtual time. Its machine sees no other clock, and its ticks follow it
// too.
type Clock struct {
	Member int
	Rate   float64
	Offset time.Duration
}

func (c Clock) check(size int) error {
	if !(c.Rate > 0) || math.IsInf(c.Rate, 1) {
		return fmt.Errorf("rate: want a number above 0, got %g", c.Rate)
	}
	if c.Offset < 0 {
		return fmt.Errorf("offset: want a time of at least 0, got %s: set the offset of the other members instead", c.Offset)
	}
	return checkMember(c.Member, size)
}

func (c Clock) plan(n *network) {
	n.noteFault(c, 0, open)
	n.members[c.Member].clock = c
	every := time.Duration(float64(tickEvery) / c.Rate)
	n.push(event{at: every, to: c.Member, what: ownTick{every}})
}

// An ownTick is the tick of a member with its own clock.
type ownTick struct{ every time.Duration }

// local returns the time on a member's clock.
func (m *member) local(at time.Duration) time.Duration {
	if m.clock.Rate == 0 {
		return at
	}
	return m.clock.Offset + time.Duration(m.clock.Rate*float64(at))
}
