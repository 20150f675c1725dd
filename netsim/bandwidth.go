package netsim

import (
	"cmp"
	"fmt"
	"math"
	"time"
)

// Bandwidth is the speed of members' links, in bytes per second up and down; 0 means no limit.
// Messages queue at both ends.
type Bandwidth struct {
	Members  []int // none: all
	Up, Down float64
	When
}

func (b Bandwidth) check(size int) error {
	for name, v := range map[string]float64{"up": b.Up, "down": b.Down} {
		if !(v >= 0) || math.IsInf(v, 1) {
			return fmt.Errorf("%s: want a rate of at least 0 bytes per second, got %g", name, v)
		}
	}
	return cmp.Or(checkMembers(b.Members, size), b.When.check())
}

func (b Bandwidth) plan(n *network) {
	set := func(up, down float64) deed {
		return func(time.Duration) {
			for rank, is := range in(b.Members, len(n.members)) {
				if is {
					n.members[rank].up.rate, n.members[rank].down.rate = up, down
				}
			}
			n.limited = true
		}
	}
	b.When.plan(n, set(b.Up, b.Down), set(0, 0))
}

// A pipe is one direction of a member's link. Messages pass through it one by one.
type pipe struct {
	rate float64 // bytes per second; 0 means no limit
	free time.Duration
}

// through returns the time at which a message that reaches the pipe at the given time leaves
// it.
func (p *pipe) through(at time.Duration, size int) time.Duration {
	if p.rate == 0 {
		return at
	}
	p.free = max(p.free, at) + time.Duration(float64(size)/p.rate*float64(time.Second))
	return p.free
}
