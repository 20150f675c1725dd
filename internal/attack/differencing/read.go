package differencing

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// A Reading is a private quantity of a member that follows from what others see.
type Reading struct {
	Member   int // −1 for all others together
	Quantity string
	Slots    []int   // numbers of the slots behind it
	Words    string  // how it is computed
	R        float64 // correlation with the quantity over the worlds
	Error    float64 // as a share of the quantity's deviation over the worlds
	// Lone reports a component that only this member fills, which shows it in any case.
	Lone bool
}

// Inequality is the quantity Σ_s (N^s − N̄)² over the others, where N̄ is the mean over them and the
// worlds. With the sum of all N^s, any exact sum of a function of them that is not linear shows it,
// and a few such sums show each N^s.
const Inequality = "inequality of the numbers of rows"

// closer is how many times smaller the error of a reading must be than without the loss of members.
const closer = 10

// stillEnough is the correlation that a reading must have if the same quantity of all others, or of
// all others but the member, is known. Otherwise it reads that total.
const stillEnough = 0.9

// Read returns the quantities that can be read. If whole is not nil, it holds the worlds of the same
// task and members, in which no member is lost: a quantity then counts only if the loss makes its
// reading closer. Chance is the number of quantities of other worlds that can be read as well.
func (w *Worlds) Read(whole *Worlds) (all []Reading, chance int) {
	s := newSpace(w.coordinates())
	var without *space
	known := make([]directions, w.members)
	// shownBefore reports whether the worlds without the loss show a quantity nearly as well.
	shownBefore := func(q []float64, as *reading) bool {
		if without == nil {
			without = newSpace(whole.coordinates())
		}
		least := correlationAt(math.Min(closer*as.err, 1))
		return q != nil && without.find(q, least, least) != nil
	}
	one, two := Enough, enoughOfTwo
	if whole != nil {
		one = correlationAt(1.0 / closer) // of a guess, the error is 1
		two = one
	}
	for _, name := range w.names {
		for m := range w.members {
			if slices.Contains(w.readers, m) {
				continue
			}
			q, rest := w.truthOf(m, name)
			if q == nil || known[m].hasOrAdds(q) {
				continue
			}
			// Control: only by chance are quantities of other worlds found.
			if m == w.placebo() && s.read(turned(q), turned(rest), false, one, two) != nil {
				chance++
			}
			alone := w.fills(m, name)
			found := s.read(q, rest, alone, one, two)
			if found == nil {
				continue
			}
			found.compare(q)
			reading := Reading{Member: m, Quantity: name, Slots: found.slots(), Words: found.words(), R: found.r, Error: found.err}
			if whole == nil {
				reading.Lone = alone || found.a.loneOf(m, w.n) || found.b != nil && found.b.loneOf(m, w.n)
			} else {
				before, _ := whole.truthOf(m, name)
				if before == nil { // the member's last vector is of another kind there
					before = q
				}
				if shownBefore(before, found) {
					continue
				}
			}
			all = append(all, reading)
		}
	}
	if q := w.unequal(); q != nil {
		if found := s.find(q, one, two); found != nil && (whole == nil || !shownBefore(whole.unequal(), found)) {
			all = append(all, Reading{Member: -1, Quantity: Inequality, Slots: found.slots(), Words: found.words(), R: found.r, Error: found.err})
		}
	}
	return all, chance
}

// unequal returns [Inequality] by world, nil if it is not known.
func (w *Worlds) unequal() []float64 {
	sum := make([]float64, w.n)
	var all [][]float64
	mean := 0.0
	for m := range w.members {
		if q := w.truth[m]["N"]; !slices.Contains(w.readers, m) {
			if len(q) != w.n {
				return nil
			}
			all = append(all, q)
			mean += stat.Mean(q, nil)
		}
	}
	mean /= float64(len(all))
	for _, q := range all {
		for i, n := range q {
			sum[i] += (n - mean) * (n - mean)
		}
	}
	return sum
}

// correlationAt returns the correlation at which the error of a straight line is err.
func correlationAt(err float64) float64 { return math.Max(math.Sqrt(1-err*err), 1e-3) }

// placebo is the member whose quantities are also looked for in other worlds.
func (w *Worlds) placebo() int {
	for m := range w.members {
		if !slices.Contains(w.readers, m) {
			return m
		}
	}
	return -1
}

// read returns the best reading of a quantity. Rest is the same quantity, summed over the others
// but the member: a reading of that sum, or of the sum with the member, does not count unless the
// member is alone in it.
func (s *space) read(q, rest []float64, alone bool, one, two float64) *reading {
	r := s.find(q, one, two)
	if r == nil || alone {
		return r
	}
	total := slices.Clone(rest)
	for i, v := range q {
		total[i] += v
	}
	v := r.values()
	if math.Abs(given(v, q, rest)) < stillEnough || math.Abs(given(v, q, total)) < stillEnough {
		return nil
	}
	return r
}

// truthOf returns a quantity of a member, and its sum over all other members that are no readers, by
// world. It returns nil if some world has no such quantity.
func (w *Worlds) truthOf(member int, name string) (q, rest []float64) {
	q = w.truth[member][name]
	if len(q) != w.n {
		return nil, nil
	}
	rest = make([]float64, w.n)
	for m := range w.members {
		of := w.truth[m][name]
		if m == member || slices.Contains(w.readers, m) || len(of) != w.n {
			continue
		}
		for i, v := range of {
			rest[i] += v
		}
	}
	for _, v := range q {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, nil
		}
	}
	return q, rest
}

// fills reports whether a quantity is about a component that this member fills alone, in most
// worlds.
func (w *Worlds) fills(member int, name string) bool {
	count := w.counts[name]
	if count == "" {
		return false
	}
	q, rest := w.truthOf(member, count)
	n := 0
	for i, v := range q {
		if v > 0.99*(v+rest[i]) {
			n++
		}
	}
	return 2*n > w.n
}

// turned returns the values of other worlds.
func turned(x []float64) []float64 {
	by := min(7, len(x)-1)
	return append(slices.Clone(x[by:]), x[:by]...)
}

// directions are quantities, centred and of length 1. None is a multiple of another.
type directions [][]float64

// hasOrAdds reports whether a quantity is a linear function of one of them, and adds it otherwise.
func (d *directions) hasOrAdds(q []float64) bool {
	x := centred(q)
	scale(x, 1/norm(x))
	for _, y := range *d {
		if 1-math.Abs(dot(x, y)) < 1e-12 {
			return true
		}
	}
	*d = append(*d, x)
	return false
}
