package consensus

import (
	"math"
	"slices"
)

// Record sums up the slots of a run at one member.
type Record struct {
	Setup      int      // slots before the first model round
	Slots      int      // all slots
	Rounds     int      // of the last session
	Difference float64  // the largest ‖own − adopted‖₂ / ‖adopted‖₂ of a Sum
	Digest     [32]byte // of the last slot in a model round
}

// Add enters a decision.
func (r *Record) Add(d *Decision) {
	r.Slots++
	if d.Kind == Amend {
		return
	}
	if d.Round == 0 {
		r.Setup++
	} else {
		r.Digest = d.Digest
	}
	if d.Cost.Rounds > 0 {
		r.Rounds = d.Cost.Rounds
		r.Difference = max(r.Difference, d.Cost.Difference)
	}
}

// note learns from a decision how long slots take, and which members outside the
// view are worth waiting for.
func (m *Machine) note(d *Decision) {
	s := m.slot
	if m.calls() {
		took := m.now - s.began
		m.usual = max(took, m.usual-m.usual/8)
	}
	if !m.newRound() {
		return
	}
	for i, member := range m.watched {
		p := &m.peers[i]
		_, in := slices.BinarySearch(d.Members, uint32(member))
		switch {
		case in:
			p.misses, p.asked = 0, 0
		case p.asked > 0:
			p.asked--
		case s.ballots.promised > 0 && !m.lost(member):
			p.misses = min(p.misses+1, 4)
			p.asked = 1 << p.misses
		}
	}
}

func norm(x []float64) float64 {
	var square float64
	for _, v := range x {
		square += v * v
	}
	return math.Sqrt(square)
}
