package discrepancy

import (
	"context"
	"math"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/data/columnstats"
)

// The offset for all members is the largest that any of them needs. They learn it from a sum of
// counts, in sixteenths of powers of two, so that no member publishes its own. The first count
// is that of members that need none.
const (
	// leastShare is the weight that Auto leaves every member, in mean shares.
	leastShare = 1e-3
	parts      = 16
	leastExp   = -40
	mostExp    = 20 // a member that needs more gets no weight
	cells      = 1 + parts*(mostExp-leastExp+1)
)

// agreeOffset returns the least offset of at least 0, to a sixteenth, that is at least need
// plus margin at all members.
func agreeOffset(ctx context.Context, g collabdict.Group, need, margin float64) (float64, error) {
	counts := make([]float64, cells)
	counts[cell(need+margin)] = 1
	counts, err := g.Sum(ctx, collabdict.Summand{Entry: Entry, Values: counts, Blocks: columnstats.AppendBlock(nil, cells, 1)})
	if err != nil {
		return 0, err
	}
	for i := cells - 1; i > 0; i-- {
		if counts[i] > 0.5 {
			return edgeOf(i), nil
		}
	}
	return 0, nil
}

// cell returns the first cell whose edge is at least v.
func cell(v float64) int {
	if !(v > 0) {
		return 0
	}
	mantissa, exp := math.Frexp(v) // v = mantissa·2^exp, mantissa from ½ to below 1
	switch {
	case exp < leastExp:
		return 1
	case exp > mostExp:
		return cells - 1
	}
	return 1 + parts*(exp-leastExp) + int((mantissa-0.5)*2*parts)
}

// edgeOf returns the upper edge of a cell.
func edgeOf(i int) float64 {
	i--
	return math.Ldexp(0.5+float64(i%parts+1)/(2*parts), leastExp+i/parts)
}
