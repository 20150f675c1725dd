package columnstats

import (
	"fmt"
	"math"

	"github.com/collabdict/collabdict"
)

// SameRows checks that all totals of a running total rest on the same rows. A vector begins with
// the number of a member's rows, exactly, which may change only by newly counted members. The
// weights of a row in the components add up to 1. So, for any model, the counts of all components
// add up to the number of rows, their sums to the sum of the rows, and so on. Between two totals,
// these sums may change only by the noise, and by newly counted members, for each by no more than
// one member's bounds.
//
// In a group whose members are always the same, nothing is checked.
type SameRows struct {
	group      collabdict.Group
	bounds     Bounds
	noise      float64   // standard deviation of the noise on a value of the total
	rows       float64   // in the last total
	components int       // in it
	sums       []float64 // sums over the components in the last total
	members    int       // members counted in it, 0 before the first
	countsOnly bool
}

const (
	// leftOver bounds the rounding error of a member's sum over the components, as a share of its
	// bound. It is far above what occurs.
	leftOver = 0x1p-24
	// unlikely is the number of standard deviations that noise hardly ever exceeds.
	unlikely = 6
)

// NewSameRows returns the checks for a running total over rows within the bounds, with noise of
// this standard deviation on each value but the number of rows.
func NewSameRows(g collabdict.Group, b Bounds, noise float64) *SameRows {
	return &SameRows{group: g, bounds: b, noise: noise}
}

// CountsOnly restricts the checks to the number of rows. If rows have missing cells, the other
// moments depend on the model.
func (s *SameRows) CountsOnly() { s.countsOnly = true }

// Check returns an error if the next total rests on other rows. total begins with the moments of k
// components, which blocks bound.
func (s *SameRows) Check(rows float64, k int, total []float64, blocks []collabdict.Block) error {
	of := s.group.Membership()
	members, rounding := of.Counted, of.Rounding
	if members == 0 {
		return nil
	}
	if err := s.checkRows(rows, members, float64(members)*s.bounds.Rows*(2*rounding+leftOver)); err != nil {
		return err
	}
	var sums []float64
	for _, b := range blocks {
		if b.Moment == collabdict.NoMoment || b.Moment == collabdict.Objective || s.countsOnly {
			break
		}
		for end := b.Len; end > 0; end -= k {
			sum := 0.0
			for _, v := range total[:k] {
				sum += v
			}
			total = total[k:]
			tolerance := float64(members*max(k, s.components))*b.Bound*(2*rounding+leftOver) + unlikely*s.noise*math.Sqrt(float64(k+s.components))
			if err := s.checkSum(len(sums), sum, float64(members-s.members)*b.Bound+tolerance); err != nil {
				return err
			}
			sums = append(sums, sum)
		}
	}
	s.rows, s.components, s.sums, s.members = rows, k, sums, members
	return nil
}

const advice = "a member counts other rows than at the start, and totals do not show which member: ask the owners to compare their numbers of rows, and begin another run without that member"

func (s *SameRows) checkRows(rows float64, members int, tolerance float64) error {
	firsts := float64(members - s.members)
	switch change := rows - s.rows; {
	case s.members == 0:
		return s.bounds.checkRows(rows, max(members-s.bounds.members, 0))
	case change >= -tolerance && change <= firsts*s.bounds.Rows+tolerance:
		return nil
	case firsts > 0 && change > 0:
		return fmt.Errorf("members count %.10g rows together, but %.10g before %.0f of them were counted for the first time, each with fewer than %.10g: %s", rows, s.rows, firsts, s.bounds.Rows, advice)
	}
	return fmt.Errorf("members count %.10g rows together, but %.10g before: %s", math.Round(rows), math.Round(s.rows), advice)
}

// checkSum checks the change of a sum over the components.
func (s *SameRows) checkSum(i int, sum, most float64) error {
	if i >= len(s.sums) || math.Abs(sum-s.sums[i]) <= most {
		return nil
	}
	return fmt.Errorf("the moments of all rows, which must stay the same in a run, have changed: sum %d was %.10g, and is %.10g: %s", i+1, s.sums[i], sum, advice)
}
