package columnstats

import (
	"fmt"
	"math"

	"github.com/collabdict/collabdict"
)

// SameRows checks that all totals of a running total are over the same rows. The weights of
// a row add up to 1, so that the counts of all components add up to the number of the rows,
// their first moments to the sum of these, and so on, whatever the model is. Between two
// totals that changes only by the members that are counted for the first time, and by no
// more than the bounds of one member for each of them.
//
// The totals have no noise. A group that is no [collabdict.Carrier] has nothing checked.
type SameRows struct {
	carrier    collabdict.Carrier // nil: nothing is checked
	bounds     Bounds
	components int
	sums       []float64 // over the components, in the last total; at first, of a start, N alone
	members    int       // counted in it, 0 before the first
	countsOnly bool
}

// leftOver is the share of its bound that floating point leaves of a member's sum over the
// components at most, far above what is seen.
const leftOver = 0x1p-24

// NewSameRows returns the checks of a running total of k components and rows that the bounds
// hold for. Start, if not nil, is what the total begins as.
func NewSameRows(g collabdict.Group, b Bounds, start *Moments, k int) *SameRows {
	s := &SameRows{bounds: b, components: k}
	s.carrier, _ = g.(collabdict.Carrier)
	if start != nil && start.members > 0 {
		s.sums, s.members = []float64{start.Count}, start.members
	}
	return s
}

// CountsOnly says that rows have missing cells, so that the moments beyond the number of rows are
// as the model expects them, and change with it.
func (s *SameRows) CountsOnly() { s.countsOnly = true }

// Check returns an error for the next total if it is over other rows. The blocks are those of
// a member's vector, which begins with its moments.
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

// compare looks at one of the sums.
func (s *SameRows) compare(i int, sum, bound, tolerance float64, members int) error {
	const advice = "a member counts other rows than it began with, and a total does not tell which: have the owners compare their numbers of rows, and begin another run without that member"
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
		return fmt.Errorf("the moments of all rows, which stay the same in the run, have changed: sum %d was %.10g, and is %.10g: %s", i+1, s.sums[i], sum, advice)
	case firsts > 0 && change > 0:
		return fmt.Errorf("members count %.10g rows together, and %.10g before %.0f of them were counted for the first time, each with fewer than %.10g: %s", sum, s.sums[i], firsts, s.bounds.Rows, advice)
	}
	return fmt.Errorf("members count %.10g rows together, and %.10g before: %s", math.Round(sum), math.Round(s.sums[i]), advice)
}
