package consensus

import (
	"fmt"
	"math"
)

// apply takes a message of the slot under way into account.
func (m *Machine) apply(from int, body Body, e *Effects) {
	c := m.call
	if c == nil { // an earlier message of the same event has ended the call
		return
	}
	switch b := body.(type) {
	case *Seeds:
		if m.sameHeader(from, b.Header, e) && c.seeds[from] == nil {
			c.seeds[from] = b
		}
	case *Blob:
		if _, doubled := c.blobs[from]; !doubled && m.sameHeader(from, b.Header, e) {
			c.blobs[from] = b.Data
		}
	case *Ready:
		if b.Header != c.header.Hash {
			m.fail(e, m.memberError(from, "is ready for another call than this member's"))
			return
		}
		c.ready[from] = true
	case *Step:
		m.applyStep(from, b, e)
	case *Seal:
		if c.Kind == Sum && c.seal == nil && m.finite(from, b.Values, e) {
			c.seal, c.sealer = b.Values, from
		}
	case *Done:
		if _, doubled := c.done[from]; !doubled {
			c.done[from] = b.Value
		}
	}
}

func (m *Machine) applyStep(from int, b *Step, e *Effects) {
	c := m.call
	switch {
	case c.Kind != Sum:
	case c.session != nil:
		if m.isNeighbour(from) && m.finite(from, b.Values, e) {
			c.session.receive(from, int(b.Iteration), b.Values)
		}
	case b.Iteration == 0 && c.first[from] == nil:
		if m.finite(from, b.Values, e) {
			c.first[from] = b.Values
		}
	}
}

func (m *Machine) isNeighbour(member int) bool {
	for _, n := range m.call.neighbours {
		if n == member {
			return true
		}
	}
	return false
}

// sameHeader ends the run if a member is about to compute something else.
func (m *Machine) sameHeader(from int, h Header, e *Effects) bool {
	own := m.call.header
	if h == own {
		return true
	}
	detail := "other bounds or settings"
	if h.Kind != own.Kind || h.Round != own.Round || h.Length != own.Length {
		detail = fmt.Sprintf("a %s of %d values in round %d, this member a %s of %d in round %d",
			h.Kind, h.Length, h.Round, own.Kind, own.Length, own.Round)
	}
	m.fail(e, m.memberError(from, "calls "+detail+": run the same version with the same settings everywhere"))
	return false
}

// finite ends the run if a vector has the wrong length or a value that is not a
// number.
func (m *Machine) finite(from int, values []float64, e *Effects) bool {
	if len(values) != len(m.call.Values) {
		m.fail(e, m.memberError(from, fmt.Sprintf("sent %d values, want %d", len(values), len(m.call.Values))))
		return false
	}
	for i, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			m.fail(e, m.memberError(from, fmt.Sprintf("sent %g as value %d", v, i)))
			return false
		}
	}
	return true
}
