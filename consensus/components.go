package consensus

import (
	"slices"

	"github.com/collabdict/collabdict"
)

// While a member is missing, its last vector stays in the running total. If that is of the start or
// of rounds up to StartRounds, all rows of the others may leave a component; the total would then
// show the missing member's moments there. So a member that would take more than half of its rows
// out of a component enters its counted moments again, those of all components: their sum over
// components stays that of all rows. It does not enter a fixed share of the change, because two
// totals would then show the missing member's moments. Later, most rows stay in their component.

// A mixture is the moments of K components in a vector. At From are the counts of all components,
// and then their other moments and their part of the objective, until End.
type mixture struct {
	From, K, End int
}

// A layout tells where mixtures are in a vector. If Low is positive, the value at i has a low word
// at Low + i.
type layout struct {
	Mixtures []mixture `json:",omitempty"`
	Low      int       `json:",omitempty"`
}

// layoutOf returns the layout of a vector with these blocks.
func layoutOf(blocks []collabdict.Block) (l layout) {
	at, open := 0, false
	for _, b := range blocks {
		switch b.Moment {
		case collabdict.Counts:
			l.Mixtures, open = append(l.Mixtures, mixture{at, b.Len, at + b.Len}), true
		case collabdict.FirstMoments, collabdict.SecondMoments, collabdict.Objective:
			if open {
				l.Mixtures[len(l.Mixtures)-1].End = at + b.Len
			}
		case collabdict.LowWords:
			l.Low = at
			return l
		default:
			open = false
		}
		at += b.Len
	}
	return l
}

// fits reports whether the layout is one of n values.
func (l layout) fits(n int) bool {
	return l.Low >= 0 && 2*l.Low <= n && !slices.ContainsFunc(l.Mixtures, func(x mixture) bool {
		return x.From < 0 || x.K < 1 || x.End < x.From+x.K || x.End > n || l.Low > 0 && x.End > l.Low
	})
}

// entered returns the vector of a member that counts in the slot of a call, if these members do.
func (m *Machine) entered(r *runningTotal, c *call, counts []uint32) []float64 {
	if !m.roster.Sealed || r.vector == nil || !m.plans.tallyAfter(r.counted, counts, m.slot.number).misses(r.early) {
		return c.values
	}
	return c.layout.kept(c.values, r.vector, r.largest)
}

// kept returns the vector that enters in place of one: with the counted moments of each mixture
// in which the count of a component would fall below half of the largest.
func (l layout) kept(vector, counted, largest []float64) []float64 {
	out := slices.Clone(vector)
	most := l.counts(counted, largest)
	for _, x := range l.Mixtures {
		leaves := false
		for k, count := range most[:x.K] {
			leaves = leaves || count >= 1 && vector[x.From+k] < count/2
		}
		most = most[x.K:]
		if !leaves {
			continue
		}
		copy(out[x.From:x.End], counted[x.From:])
		if l.Low > 0 {
			copy(out[l.Low+x.From:l.Low+x.End], counted[l.Low+x.From:])
		}
	}
	return out
}

// counts returns the larger one of two counts of each component: that of a vector, and the largest
// so far.
func (l layout) counts(vector, largest []float64) (all []float64) {
	for _, x := range l.Mixtures {
		for _, count := range vector[x.From:][:x.K] {
			if n := len(all); n < len(largest) {
				count = max(count, largest[n])
			}
			all = append(all, count)
		}
	}
	return all
}
