package consensus

import (
	"fmt"
	"math"

	"github.com/collabdict/collabdict/chunking"
)

// progress goes through the states of the slot as far as what has arrived allows.
func (m *Machine) progress(e *Effects) {
	for m.call != nil && m.advance(e) {
	}
}

// advance makes one transition, if its guard holds.
func (m *Machine) advance(e *Effects) bool {
	if m.mustWait() {
		return false
	}
	switch c := m.call; m.state {
	case Dealt:
		if c.Kind == Gather {
			m.vote(e, digestOfBlobs(c.blobsByRank(m.plan.Size)))
			return true
		}
		m.become(Prepared)
		m.send(e, All, &Ready{Header: c.header.Hash})
	case Prepared:
		m.beginSession(e)
	case Session:
		m.iterate(e)
	case Sealing:
		m.adopt(e)
	case Voted:
		m.open(e)
	default:
		return false
	}
	return true
}

// mustWait says whether waiting would return any member, by counting.
func (m *Machine) mustWait() bool {
	c, others := m.call, m.plan.Size-1
	switch m.state {
	case Dealt:
		if c.Kind == Gather {
			return len(c.blobs) < 1+others
		}
		return len(c.seeds) < others
	case Prepared:
		return len(c.ready) < others
	case Session:
		return c.session.blocked()
	case Sealing:
		return c.seal == nil && m.p.Self != m.sealer()
	case Voted:
		return len(c.done) < others
	}
	return false
}

// waiting returns the members whose messages the slot needs to go on.
func (m *Machine) waiting() []int {
	c := m.call
	if c == nil {
		return nil
	}
	switch m.state {
	case Session:
		return c.session.waiting()
	case Sealing:
		if m.mustWait() {
			return c.neighbours
		}
		return nil
	}
	var missing []int
	for s := range m.p.Members {
		if s != m.p.Self && !c.has(m.state, s) {
			missing = append(missing, s)
		}
	}
	return missing
}

// has says whether a member's message that ends a state has arrived.
func (c *call) has(s State, member int) bool {
	switch s {
	case Dealt:
		_, blob := c.blobs[member]
		return blob || c.seeds[member] != nil
	case Prepared:
		return c.ready[member]
	case Voted:
		_, ok := c.done[member]
		return ok
	}
	return true
}

// sealer returns whose total all members adopt.
func (m *Machine) sealer() int { return 0 }

func (m *Machine) beginSession(e *Effects) {
	c := m.call
	y := append([]float64(nil), c.Values...)
	if m.p.Protect == chunking.Chunks {
		y = chunking.Residue(c.Values, c.Blocks, c.handedOut, m.received())
	}
	c.session = newSession(m.plan, c.neighbours, y)
	for _, n := range c.neighbours {
		if values := c.first[n]; values != nil {
			c.session.receive(n, 0, values)
		}
	}
	m.become(Session)
	m.sendStep(e)
}

func (m *Machine) sendStep(e *Effects) {
	c := m.call
	for _, n := range c.neighbours {
		m.send(e, n, &Step{Iteration: uint32(c.session.t), Values: c.session.x})
	}
}

func (m *Machine) iterate(e *Effects) {
	s := m.call.session
	if !s.advance() {
		return
	}
	m.since = m.now
	if s.finished() {
		m.become(Sealing)
		return
	}
	m.sendStep(e)
}

// adopt takes the sealer's total for this member's own, after checking that the
// two agree as closely as the plan predicts, and passes it on.
func (m *Machine) adopt(e *Effects) {
	c := m.call
	own := c.session.total()
	if m.p.Self == m.sealer() {
		c.seal, c.sealer = own, m.p.Self
	}
	if err := m.checkSeal(own); err != nil {
		m.fail(e, err)
		return
	}
	c.total, c.difference = c.seal, relativeDifference(own, c.seal)
	for _, n := range c.neighbours {
		if n != c.sealer {
			m.send(e, n, &Seal{Values: c.total})
		}
	}
	m.vote(e, digestOfValues(c.total))
}

// checkSeal compares the sealed total with this member's own and with what the
// bounds of all members together allow. The second finds a chunk that one side has
// not applied: it is so much larger than the bounds that it shows in every value.
func (m *Machine) checkSeal(own []float64) error {
	c := m.call
	i := 0
	for _, b := range c.Blocks {
		tolerance := m.plan.tolerated(b.Bound)
		most := float64(m.plan.Size)*b.Bound*(1+1e-6) + tolerance
		for end := i + b.Len; i < end; i++ {
			if d := math.Abs(own[i] - c.seal[i]); !(d <= tolerance) {
				err := m.memberError(c.sealer, fmt.Sprintf("passed on a total whose value %d is too far from this member's own", i))
				err.Detail = fmt.Sprintf("got %g, own %g, want a difference of at most %.3g", c.seal[i], own[i], tolerance)
				return err
			}
			if !(math.Abs(c.seal[i]) <= most) {
				return &TotalError{Value: i}
			}
		}
	}
	return nil
}

// vote records the value before telling the others.
func (m *Machine) vote(e *Effects, value [32]byte) {
	c := m.call
	c.value = value
	m.become(Voted)
	m.write(e, WroteVote, value)
	m.send(e, All, &Done{Value: value})
}

// open ends the slot when the whole view has voted for this member's value.
func (m *Machine) open(e *Effects) {
	c := m.call
	for s := range m.p.Members {
		if v, ok := c.done[s]; ok && v != c.value {
			m.fail(e, m.memberError(s, fmt.Sprintf("voted for %x, this member for %x: run the same version everywhere", v[:4], c.value[:4])))
			return
		}
	}
	m.write(e, WroteOpened, c.value)
	out := &Outcome{
		Slot: m.slot, Total: c.total, Digest: c.value,
		Difference: c.difference, Started: c.started, Ended: m.now,
	}
	if c.session != nil {
		out.Iterations = c.session.t
	}
	if c.Kind == Gather {
		out.Blobs = c.blobsByRank(m.plan.Size)
	}
	e.Outcome = out
	m.voted = Message{Slot: m.slot, Body: &Done{Value: c.value}}
	m.call = nil
	m.slot++
	m.become(Idle)
}

func (c *call) blobsByRank(size int) [][]byte {
	blobs := make([][]byte, size)
	for s := range blobs {
		blobs[s] = c.blobs[s]
	}
	return blobs
}
