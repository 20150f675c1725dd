package differencing

import (
	"math"
	"slices"
)

// A Reading is a private quantity of a member that follows from what others see.
type Reading struct {
	Member   int
	Quantity string
	Slots    []int   // positions of the sums behind it, from 0
	Words    string  // how it is computed
	R        float64 // correlation with the quantity over the worlds, given its total over all others
	Error    float64 // as a share of the quantity's deviation over the worlds
	// Lone reports a component that only this member fills, which shows it in any case.
	Lone bool
}

// farther is how many times closer a reading must be than the best one without the loss.
const farther = 10

// Read returns the quantities that can be read. If whole is not nil, it holds the worlds of the same
// cell without the loss of members: a quantity then counts only if the loss makes it at least ten
// times closer. Chance is the number of quantities of other worlds that can be read as well.
func (w *Worlds) Read(whole *Worlds) (all []Reading, chance int) {
	s := newSpace(w.coordinates())
	var without *space
	known := make([]directions, w.members)
	for _, name := range w.names {
		for m := range w.members {
			if slices.Contains(w.readers, m) {
				continue
			}
			q, total := w.truthOf(m, name)
			if q == nil || known[m].has(q) {
				continue
			}
			floor := Enough
			if whole != nil {
				floor = math.Sqrt(1 - 1.0/farther/farther) // of a guess, the error is 1
			}
			alone := w.components[name] && correlation(q, total) > Enough
			if alone { // this member fills the component, so the total shows it
				clear(total)
			}
			if s.find(turned(q), turned(total), floor) != nil {
				chance++
			}
			found := s.find(q, total, floor)
			if found == nil {
				continue
			}
			found.compare(q)
			reading := Reading{Member: m, Quantity: name, Slots: found.slots(), Words: found.words(), R: found.r, Error: found.err}
			if whole == nil {
				reading.Lone = alone || found.a.loneOf(m, w.n) || found.b != nil && found.b.loneOf(m, w.n)
			} else {
				if without == nil {
					without = newSpace(whole.coordinates())
				}
				before, beforeTotal := whole.truthOf(m, name)
				if before != nil {
					if alone {
						clear(beforeTotal)
					}
					least := math.Min(farther*found.err, 1)
					if without.find(before, beforeTotal, math.Sqrt(1-least*least)) != nil {
						continue
					}
				}
			}
			all = append(all, reading)
		}
	}
	return all, chance
}

// truthOf returns a quantity of a member, and its sum over all members that are no readers, by
// world. It returns nil if some world has no such quantity.
func (w *Worlds) truthOf(member int, name string) (q, total []float64) {
	q = w.truth[member][name]
	if len(q) != w.n {
		return nil, nil
	}
	total = make([]float64, w.n)
	for m := range w.members {
		of := w.truth[m][name]
		if slices.Contains(w.readers, m) || len(of) != w.n {
			continue
		}
		for i, v := range of {
			total[i] += v
		}
	}
	for _, v := range q {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, nil
		}
	}
	return q, total
}

// turned returns the values of other worlds.
func turned(x []float64) []float64 {
	by := min(7, len(x)-1)
	return append(slices.Clone(x[by:]), x[:by]...)
}

// directions are quantities that are linear functions of none before them.
type directions [][]float64

// has reports whether a quantity is a linear function of an earlier one, and adds it otherwise.
func (d *directions) has(q []float64) bool {
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

// correlation returns that of two quantities over the worlds.
func correlation(x, y []float64) float64 {
	x, y = centred(x), centred(y)
	return dot(x, y) / (norm(x) * norm(y))
}
