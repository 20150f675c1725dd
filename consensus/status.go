package consensus

import "time"

// Status is where a machine stands, for showing.
type Status struct {
	Slot       uint64
	Kind       Kind // of the call under way; 0 between calls
	Round      uint32
	State      State
	Iteration  int
	Iterations int // predicted
	// Waiting holds the members that hold the slot up, as far as their Beats
	// tell: those that are waited for and wait for nobody themselves, or are
	// silent.
	Waiting []int
	Since   time.Duration // when this member last made a step
}

// Status returns where the machine stands.
func (m *Machine) Status() Status {
	s := Status{Slot: m.slot, State: m.state, Iterations: m.plan.Iterations, Since: m.since}
	if m.call != nil {
		s.Kind, s.Round = m.call.Kind, m.call.Round
		if m.call.session != nil {
			s.Iteration = m.call.session.t
		}
		s.Waiting = m.holdingUp()
	}
	return s
}

// holdingUp follows the waiting-for sets of the Beats to their roots.
func (m *Machine) holdingUp() []int {
	reached := make([]bool, len(m.peers))
	reached[m.p.Self] = true
	queue := m.waiting()
	root := make([]bool, len(m.peers))
	for ; len(queue) > 0; queue = queue[1:] {
		s := queue[0]
		if reached[s] {
			continue
		}
		reached[s] = true
		p := m.peers[s]
		silent := m.now-p.heard > 3*m.p.Beat
		if silent || p.slot != m.slot || len(p.beat.Waiting) == 0 {
			root[s] = true
			continue
		}
		for _, w := range p.beat.Waiting {
			if int(w) < len(m.peers) {
				queue = append(queue, int(w))
			}
		}
	}
	var roots []int
	for s, yes := range root {
		if yes {
			roots = append(roots, s)
		}
	}
	if roots == nil { // a circle: all wait for each other
		return m.waiting()
	}
	return roots
}
