package columnstats

import (
	"fmt"
	"math"

	"github.com/collabdict/collabdict"
)

// SameRows checks that all totals of a running total rest on the same rows. The weights of a row
// add up to 1. So, for any model, the counts of all components add up to the number of rows,
// their sums to the sum of the rows, and so on. Between two totals, these sums may change only
// by newly counted members, and for each by no more than one member's bounds.
//
// The totals must have no noise. In a group that is no [collabdict.Carrier], nothing is
// checked.
type SameRows struct {
	carrier    collabdict.Carrier // nil if nothing is checked
	bounds     Bounds
	components int
	sums       []float64 // sums over the components in the last total; at the start, N alone
	members    int       // members counted in it, 0 before the first
	countsOnly bool
}

// leftOver bounds the rounding error of a member's sum over the components, as a share of its
// bound. It is far above what occurs.
const leftOver = 0x1p-24

// NewSameRows returns the checks for a running total of k components over rows within the
// bounds. start, if not nil, is the value that the total begins with.
func NewSameRows(g collabdict.Group, b Bounds, start *Moments, k int) *SameRows {
	s := &SameRows{bounds: b, components: k}
	s.carrier, _ = g.(collabdict.Carrier)
	if start != nil && start.members > 0 {
		s.sums, s.members = []float64{start.Count}, start.members
	}
	return s
}

// CountsOnly restricts the checks to numbers of rows. If rows have missing cells, the other
// moments depend on the model.
func (s *SameRows) CountsOnly() { s.countsOnly = true }

// Check returns an error if the next total rests on other rows. blocks are those of a member's
// vector, which begins with its moments.
func (s *SameRows) Check(total []float64, blocks []collabdict.Block) error {
	if s.carrier == nil {
		return nil
	}
	members, rounding := s.carrier.Carried()
	if members == 0 {
		return nil
	}
	var sums []float64
	for _, b := range blocks {
		if b.Moment == collabdict.NoMoment || s.countsOnly && len(sums) > 0 {
			break
		}
		for end := b.Len; end > 0; end -= s.components {
			sum := 0.0
			for _, v := range total[:s.components] {
				sum += v
			}
			total = total[s.components:]
			tolerance := float64(members*s.components) * b.Bound * (2*rounding + leftOver)
			if err := s.compare(len(sums), sum, b.Bound, tolerance, members); err != nil {
				return err
			}
			sums = append(sums, sum)
		}
	}
	s.sums, s.members = sums, members
	return nil
}

// compare checks one of the sums.
func (s *SameRows) compare(i int, sum, bound, tolerance float64, members int) error {
	const advice = "a member counts other rows than at the start, and totals do not show which member: ask the owners to compare their numbers of rows, and begin another run without that member"
	if s.members == 0 {
		if i > 0 {
			return nil
		}
		return s.bounds.checkRows(sum, max(members-s.bounds.members, 0))
	}
	if i >= len(s.sums) {
		return nil
	}
	firsts := float64(members - s.members)
	most, least := float64(firsts*bound)+tolerance, -float64(firsts*bound)-tolerance
	if i == 0 {
		least = -tolerance
	}
	change := sum - s.sums[i]
	switch {
	case change >= least && change <= most:
		return nil
	case i > 0:
		return fmt.Errorf("the moments of all rows, which must stay the same in a run, have changed: sum %d was %.10g, and is %.10g: %s", i+1, s.sums[i], sum, advice)
	case firsts > 0 && change > 0:
		return fmt.Errorf("members count %.10g rows together, but %.10g before %.0f of them were counted for the first time, each with fewer than %.10g: %s", sum, s.sums[i], firsts, s.bounds.Rows, advice)
	}
	return fmt.Errorf("members count %.10g rows together, but %.10g before: %s", math.Round(sum), math.Round(s.sums[i]), advice)
}
