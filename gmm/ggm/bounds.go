package ggm

import (
	"math"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/columnstats"
)

// limits bound this learner's sums at every member. If cells may be missing, they leave room for
// what is put in their place.
type limits struct {
	columnstats.Bounds
	missing bool
	sparse  float64 // Config.Sparse
}

const (
	// roomFor is how many times as large as agreed root mean squares may be with what is put in
	// the place of missing cells.
	roomFor = 2
	// cellNats bounds the entropy of a missing cell, in nats beyond the logarithm of its bound.
	cellNats = 16
)

// limitsOf returns the limits that follow from the bounds of rows.
func limitsOf(b columnstats.Bounds, c Config) limits {
	if c.Missing {
		b = b.Wider(roomFor)
	}
	return limits{b, c.Missing, c.Sparse}
}

// cells bounds the entropy of all missing cells; 0 if none may be missing.
func (l limits) cells() (sum float64) {
	for _, v := range l.RMS {
		if l.missing {
			sum += l.Rows * (cellNats + math.Abs(math.Log(v)))
		}
	}
	return sum
}

// replaced bounds what is put in the place of a missing cell of each column so that the sums are
// within the limits: the squares of values and variances together are at most 1½ times the agreed
// ones, beside those of the cells that are there.
func (l limits) replaced() []float64 {
	out := make([]float64, len(l.RMS))
	for i, v := range l.RMS {
		out[i] = v / roomFor * math.Sqrt(0.75)
	}
	return out
}

// statistics returns the blocks of what a round sums.
func (l limits) statistics(k int) []collabdict.Block {
	return columnstats.AppendBlock(l.Moments(k, true), 1, l.own(k))
}

// own bounds e^s, which is between −N^s ln K and 0: the responsibilities have no more
// entropy than their mean. That of missing cells comes to it, and the price of components, with
// which the sum is no lower than with a price for all and the weights that are best without.
func (l limits) own(k int) float64 {
	price := float64(k) * sparseFor(l.sparse, int(math.Ceil(l.Rows)), k).price
	return (l.Rows+ownRows*float64(k))*math.Max(math.Log(float64(k)), 1e-6) + l.cells() + price
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
