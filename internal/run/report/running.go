package report

import (
	"math"
	"slices"

	"github.com/collabdict/collabdict/consensus"
)

// carried is the state of a running total.
type carried struct {
	total   []float64
	moved   float64 // by how much it moved in the last slot
	slot    uint64  // last slot that counted a member
	counted map[uint32]place
}

// place is a slot with its round.
type place struct {
	slot  uint64
	round int
}

// addRunning records a decision of a running total. It reports members that have entered the
// total, or come back into it, alone.
func (l *Ledger) addRunning(d *consensus.Decision) {
	key := d.Running.Key
	r := l.running[key]
	if r == nil {
		r = &carried{counted: map[uint32]place{}, total: make([]float64, len(d.Total))}
		if from := l.running[d.Running.From]; from != nil {
			for m := range from.counted {
				r.counted[m] = place{d.Slot, int(d.Round)}
			}
		}
		for _, m := range d.Running.Members {
			r.counted[m] = place{d.Slot, int(d.Round)}
		}
		l.running[key] = r
	}
	moved := distance(r.total, d.Total)
	var firsts, returns []uint32
	since := place{slot: math.MaxUint64}
	for _, m := range d.Running.Members {
		switch at, was := r.counted[m]; {
		case !was:
			firsts = append(firsts, m)
		case at.slot < r.slot:
			returns = append(returns, m)
			if at.slot < since.slot {
				since = at
			}
		}
		r.counted[m] = place{d.Slot, int(d.Round)}
	}
	if n := len(firsts); n > 0 && n <= l.most && l.most > 1 {
		l.lone = append(l.lone, LoneChange{Members: l.namesOf(firsts), Slots: [2]uint64{d.Slot, d.Slot}, Rounds: [2]int{int(d.Round), int(d.Round)}, Known: l.conserved})
	}
	if n := len(returns); n > 0 && n <= l.most && l.most > 1 && len(firsts) <= l.most {
		c := LoneChange{Members: l.namesOf(returns), Slots: [2]uint64{since.slot, d.Slot}, Rounds: [2]int{since.round, int(d.Round)}, Change: true}
		if moved > 0 {
			c.Beside = r.moved / moved
		}
		l.lone = append(l.lone, c)
	}
	r.total, r.moved = slices.Clone(d.Total), moved
	if len(d.Running.Members) > 0 {
		r.slot = d.Slot
	}
}

func distance(a, b []float64) float64 {
	sum := 0.0
	for i := range min(len(a), len(b)) {
		sum += (a[i] - b[i]) * (a[i] - b[i])
	}
	return math.Sqrt(sum)
}
