package netsim

import (
	"cmp"
	"fmt"
	"math"
	"time"
)

// Slow makes a member's local updates take Factor times as long.
type Slow struct {
	Member int
	Factor float64
	When
}

func (s Slow) check(size int) error {
	if !(s.Factor > 0) || math.IsInf(s.Factor, 1) {
		return fmt.Errorf("factor: want a number above 0, got %g", s.Factor)
	}
	return cmp.Or(checkMember(s.Member, size), s.When.check())
}

func (s Slow) plan(n *network) {
	m := n.members[s.Member]
	s.When.plan(n, func(time.Duration) { m.factor = s.Factor }, func(time.Duration) { m.factor = 1 })
}
