package netsim

import (
	"cmp"
	"errors"
	"fmt"
	"time"
)

// Partition cuts the links between members of different sides. Members on no side keep all
// their links.
type Partition struct {
	Sides [][]int
	// OneWay lets through messages from a side to later sides.
	OneWay bool
	When
}

func (p Partition) check(size int) error {
	if len(p.Sides) < 2 {
		return errors.New("sides: want at least 2 sides, such as a=1-4|b=5-7")
	}
	seen := map[int]bool{}
	for _, side := range p.Sides {
		if err := checkMembers(side, size); err != nil {
			return err
		}
		for _, m := range side {
			if seen[m] {
				return errors.New("sides: want each member on one side only")
			}
			seen[m] = true
		}
	}
	return p.When.check()
}

func (p Partition) plan(n *network) {
	c := &partitioned{side: make([]int, len(n.members)), oneWay: p.OneWay}
	for i, side := range p.Sides {
		for _, m := range side {
			c.side[m] = i + 1
		}
	}
	n.planCut(p.When, c)
}

type partitioned struct {
	side   []int // 0: none
	oneWay bool
}

func (p *partitioned) cuts(from, to int, _ time.Duration) bool {
	a, b := p.side[from], p.side[to]
	return a != b && a > 0 && b > 0 && (!p.oneWay || a > b)
}

// Flap cuts and restores a member's links: they work for Up, fail for Down, and so on.
type Flap struct {
	Member   int
	Up, Down time.Duration
	When
}

func (f Flap) check(size int) error {
	if f.Up <= 0 || f.Down <= 0 {
		return errors.New("up, down: want times above 0")
	}
	return cmp.Or(checkMember(f.Member, size), f.When.check())
}

func (f Flap) plan(n *network) {
	c := &flapping{Flap: f}
	f.When.plan(n, func(at time.Duration) { c.began = at; n.cut(c) }, func(time.Duration) { n.mend(c) })
}

type flapping struct {
	Flap
	began time.Duration
}

func (f *flapping) cuts(from, to int, at time.Duration) bool {
	return (from == f.Member || to == f.Member) && (at-f.began)%(f.Up+f.Down) >= f.Up
}

// NAT puts members behind boxes that let in only answers: a message to such a member arrives
// only if the member has sent something to its sender within the last Idle.
type NAT struct {
	Members []int
	Idle    time.Duration
}

func (x NAT) check(size int) error {
	if x.Idle <= 0 {
		return fmt.Errorf("idle: want a time above 0, got %s", x.Idle)
	}
	return checkMembers(x.Members, size)
}

func (x NAT) plan(n *network) {
	n.noteFault(x, 0, open)
	n.cut(&hidden{NAT: x, behind: in(x.Members, len(n.members)), opened: map[[2]int]time.Duration{}})
}

type hidden struct {
	NAT
	behind []bool
	opened map[[2]int]time.Duration // time of the last message from behind a box to a member
}

func (h *hidden) cuts(from, to int, at time.Duration) bool {
	if h.behind[from] {
		h.opened[[2]int{from, to}] = at
	}
	if !h.behind[to] {
		return false
	}
	last, ever := h.opened[[2]int{to, from}]
	return !ever || at-last > h.Idle
}
