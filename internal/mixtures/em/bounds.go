package em

import (
	"math"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/data/columnstats"
	"github.com/collabdict/collabdict/internal/mixtures/passes"
)

// limits bounds this learner's sums at every member. If cells may be missing, it includes the
// values that replace them.
type limits struct {
	columnstats.Bounds
	full    bool // whether moments have products of columns
	missing bool
	more    float64 // rows that weights count for each component besides actual rows
	sparse  float64 // Config.Sparse
}

const (
	// roomFor is the factor by which values in place of missing cells may raise the agreed root
	// mean squares.
	roomFor = 2
	// cellNats bounds the entropy of a missing cell, in nats beyond the logarithm of its bound.
	cellNats = 16
)

func limitsOf(b columnstats.Bounds, c Config) limits {
	if c.Missing {
		b = b.Scaled(roomFor)
	}
	return limits{Bounds: b, full: true, missing: c.Missing, more: OwnRows, sparse: c.Sparse}
}

// cells returns a bound of the entropy of all missing cells; 0 if none may be missing.
func (l limits) cells() (sum float64) {
	for _, v := range l.RMS {
		if l.missing {
			sum += l.Rows * (cellNats + math.Abs(math.Log(v)))
		}
	}
	return sum
}

// replaced returns a bound, for each column, of the value that replaces a missing cell, so that
// the sums stay within the limits. The squares of values and variances together are at most 1½
// times the agreed ones, besides those of the cells present.
func (l limits) replaced() []float64 {
	out := make([]float64, len(l.RMS))
	for i, v := range l.RMS {
		out[i] = v / roomFor * math.Sqrt(0.75)
	}
	return out
}

// statistics returns the blocks of the vector of a round.
func (l limits) statistics(k int) []collabdict.Block {
	return columnstats.AppendMoment(l.Moments(k, l.full), collabdict.Objective, 1, l.evidence(k))
}

// length returns the length of that vector.
func (l limits) length(k int) int { return passes.PackedLen(k, len(l.RMS), l.full) + 1 }

// evidence returns a bound of |e^s|; see form. Without missing cells and prices, e^s is between
// −N^s ln K and 0 if weights are a participant's own, else between 0 and N^s ln K, because the responsibilities have no more entropy than their mean. The bound adds the
// entropy of missing cells and the price of components: with the best weights, e^s is at least
// its value without prices minus the price of all components.
func (l limits) evidence(k int) float64 {
	price := float64(k) * priceFor(l.sparse, int(math.Ceil(l.Rows)), k).nats
	return (l.Rows+l.more*float64(k))*math.Max(math.Log(float64(k)), 1e-6) + l.cells() + price
}

// blocksOf returns the blocks of a vector with the number of rows and the parts of candidates.
func blocksOf(of []*candidate) []collabdict.Block {
	blocks := columnstats.AppendBlock(nil, 1, of[0].view.limits.Rows)
	for _, c := range of {
		blocks = append(blocks, c.view.limits.statistics(c.components)...)
	}
	if n := gainsOf(len(of)); n > 0 {
		blocks = columnstats.AppendBlock(blocks, n, gainBound(of[0].view.limits.Bounds))
	}
	return blocks
}
