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
func (l limits) own(k int) float64 {
	return (l.Rows + ownRows*float64(k)) * math.Max(math.Log(float64(k)), 1e-6)
}

// all returns the blocks of a vector of candidates.
func (l limits) all(of []*candidate) (blocks []collabdict.Block) {
	for _, c := range of {
		blocks = append(blocks, l.statistics(c.components)...)
	}
	if len(of) > 1 {
		blocks = columnstats.AppendBlock(blocks, len(of), gainBound(l.Bounds))
	}
	return blocks
}
