package consensus

import (
	"fmt"
	"slices"
	"time"
)

// passTime beats, and finds members that have been silent for too long.
func (m *Machine) passTime(e *Effects) {
	if m.now-m.tick > m.p.Lost/2 {
		// This process was stopped, not the others: give them time to speak.
		for s := range m.peers {
			m.peers[s].heard = m.now
		}
	}
	m.tick = m.now
	if m.state == Failed {
		return
	}
	m.findLost(e)
	if m.now >= m.beat && m.state != Failed {
		m.sendBeat(e)
	}
}

func (m *Machine) findLost(e *Effects) {
	if m.call == nil {
		return
	}
	var lost []int
	for s, p := range m.peers {
		if s != m.p.Self && m.now-p.heard > m.p.Lost {
			lost = append(lost, s)
		}
	}
	if len(lost) > 0 {
		silent := (m.now - m.peers[lost[0]].heard).Round(time.Second / 10)
		m.fail(e, m.lostError(lost, fmt.Sprintf("nothing heard for %s", silent), ""))
	}
}

func (m *Machine) sendBeat(e *Effects) {
	m.beat = m.now + m.p.Beat
	b := &Beat{State: m.state}
	if m.call != nil && m.call.session != nil {
		b.Iteration = uint32(m.call.session.t)
	}
	for _, s := range m.waiting() {
		b.Waiting = append(b.Waiting, uint32(s))
	}
	m.send(e, All, b)
}

// help sends a member again what it waits for and this member sent some time
// ago: the carrier may have lost it.
func (m *Machine) help(to int, slot uint64, b Beat, e *Effects) {
	if !slices.Contains(b.Waiting, uint32(m.p.Self)) || m.now-m.since < 2*m.p.Beat {
		return
	}
	var lacking Message
	switch {
	case slot+1 == m.slot && b.State == Voted:
		lacking = m.voted
	case slot == m.slot && m.call != nil:
		lacking = Message{Slot: m.slot, Body: m.again(to, b)}
	}
	// What has not been sent yet is not waited for longer and longer.
	if lacking.Body != nil && m.helpAgain(to, slot, b) {
		e.Sends = append(e.Sends, Send{To: to, Message: lacking})
	}
}

// longestWait is the longest time between two of the same help, in Beats.
const longestWait = 32

// helpAgain says whether it is time to send the same thing again: at first at
// once, then after twice the time each time, so that a slow carrier is not fed
// faster than it can deliver.
func (m *Machine) helpAgain(to int, slot uint64, b Beat) bool {
	h := &m.peers[to].help
	if h.slot != slot || h.state != b.State || h.iteration != b.Iteration {
		*h = help{slot: slot, state: b.State, iteration: b.Iteration, wait: m.p.Beat}
	}
	if m.now < h.next {
		return false
	}
	h.wait = min(2*h.wait, longestWait*m.p.Beat)
	h.next = m.now + h.wait
	return true
}

// again returns the message of the slot under way that ends a member's state.
func (m *Machine) again(to int, b Beat) Body {
	c := m.call
	switch {
	case b.State == Dealt:
		return m.opening(to)
	case b.State == Prepared && m.state >= Prepared && c.Kind == Sum:
		return &Ready{Header: c.header.Hash}
	case b.State == Session && c.session != nil && m.isNeighbour(to):
		switch int(b.Iteration) {
		case c.session.t:
			return &Step{Iteration: b.Iteration, Values: c.session.x}
		case c.session.t - 1:
			return &Step{Iteration: b.Iteration, Values: c.session.before}
		}
	case b.State == Sealing && c.total != nil:
		return &Seal{Values: c.total}
	case b.State == Voted && m.state == Voted:
		return &Done{Value: c.value}
	}
	return nil
}
