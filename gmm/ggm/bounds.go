package ggm

import (
	"math"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/columnstats"
)

// limits bound this learner's sums at every member.
type limits struct{ columnstats.Bounds }

// statistics returns the blocks of what a round sums.
func (l limits) statistics(k int) []collabdict.Block {
	return columnstats.AppendBlock(l.Moments(k, true), 1, l.own(k))
}

// own bounds e^s, which is between −N^s ln K and 0: the responsibilities have no more
// entropy than their mean.
func (l limits) own(k int) float64 { return l.Rows * math.Max(math.Log(float64(k)), 1e-6) }

// within keeps what rounding has moved e^s beyond its bounds.
func (l limits) within(own float64, k int) float64 {
	return math.Max(-l.own(k), math.Min(own, l.own(k)))
}
