package netsim

import (
	"fmt"
	"time"
)

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
