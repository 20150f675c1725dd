package report

import (
	"math"
	"slices"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/consensus"
)

// subtraction estimates, from totals alone, how well the difference of two totals reveals the
// contribution of members in only one of them. The parts of all others are in both totals, and
// their changes in between are the error. The error is estimated by the difference of two
// totals over one view, which all members see.
type subtraction struct {
	last    []float64  // last total, only its updates: others may modify theirs
	moved   []movement // of the last pairs of neighbouring totals over one view
	pending []int      // indices of lone changes before the first such pair
}

// movement is the distance of two neighbouring totals over one view, with the size of the view.
type movement struct {
	size    float64
	members int
}

// mostMovements is the number of movements that an error is estimated from.
const mostMovements = 3

// add records the movement of two neighbouring totals over one view.
func (s *subtraction) add(m movement) {
	if s.moved = append(s.moved, m); len(s.moved) > mostMovements {
		s.moved = s.moved[1:]
	}
}

// typical returns the median movement of one member. It assumes that members move
// independently.
func (s *subtraction) typical() (size float64, known bool) {
	var sizes []float64
	for _, m := range s.moved {
		sizes = append(sizes, m.size/math.Sqrt(float64(m.members)))
	}
	if len(sizes) == 0 {
		return 0, false
	}
	slices.Sort(sizes)
	return (sizes[(len(sizes)-1)/2] + sizes[len(sizes)/2]) / 2, true
}

// difference describes two neighbouring totals over views that differ by few members.
type difference struct {
	// apart is the norm of a − b − (A − B)·m. The totals are a and b, and their numbers of
	// members A and B. The mean part in the total over fewer members is m.
	apart  float64
	common int // number of members of both views
}

func differenceOf(a, b []float64, viewA, viewB []uint32) difference {
	mean, of := b, len(viewB)
	if len(viewA) < len(viewB) {
		mean, of = a, len(viewA)
	}
	guess := float64(len(viewA)-len(viewB)) / float64(of)
	sum := 0.0
	for i := range a {
		d := a[i] - b[i] - float64(guess*mean[i])
		sum += float64(d * d)
	}
	return difference{math.Sqrt(sum), (len(viewA) + len(viewB) - len(outside(viewA, viewB))) / 2}
}

// error returns the error of the difference, relative to that of guessing that the members have
// added as much as the mean member. At 0, the difference is exact. At 1, the largest value, it
// reveals no more than the guess. If one member moves by m, the error is m·√common. The value
// apart contains that error and the error of the guess.
func (d difference) error(m float64) float64 {
	moved := m * math.Sqrt(float64(d.common))
	off := d.apart*d.apart - float64(moved*moved)
	if off <= moved*moved {
		return 1
	}
	return moved / math.Sqrt(off)
}

// updates are the blocks of totals; only those of updates to a network are compared.
type updates []collabdict.Block

func (u updates) of(total []float64) (values []float64) {
	for _, b := range u {
		if b.Moment == collabdict.Updates {
			values = append(values, total[:b.Len]...)
		}
		total = total[b.Len:]
	}
	return values
}

// measure sets the error of the lone changes from index from on, which come from d and the sum
// before it. It also records the movement of sums over one view.
func (l *Ledger) measure(s *series, d *consensus.Decision, from int) {
	u := l.updates[len(d.Total)]
	if u == nil {
		return
	}
	a, b := s.errors.last, u.of(d.Total)
	if s.errors.last = b; s.last == nil || len(a) != len(b) {
		return
	}
	if slices.Equal(s.last.Members, d.Members) {
		s.errors.add(movement{distance(a, b), len(d.Members)})
	}
	for i := from; i < len(l.lone); i++ {
		if c := &l.lone[i]; c.Slots[0] == s.last.Slot {
			apart := differenceOf(a, b, s.last.Members, d.Members)
			c.apart = &apart
			s.errors.pending = append(s.errors.pending, i)
		}
	}
	m, known := s.errors.typical()
	if !known {
		return
	}
	for _, i := range s.errors.pending {
		e := l.lone[i].apart.error(m)
		l.lone[i].Error = &e
	}
	s.errors.pending = nil
}
