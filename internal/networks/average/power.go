package average

import (
	"context"
	"fmt"
	"math"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/data/columnstats"
)

// Range of the values summed: 2^-32 to 2^32. Smaller values count as 2^-32.
const (
	leastPower = -31
	mostPower  = 32
	powers     = mostPower - leastPower + 1
)

// Bounds returns, for each of the non-negative values, the least power of two above those of
// all members in the sum. Members learn it from sums of counts, so that no member publishes its
// own.
func Bounds(ctx context.Context, g collabdict.Group, e collabdict.Entry, values []float64) ([]float64, error) {
	counts := make([]float64, powers*len(values))
	for i, v := range values {
		_, exp := math.Frexp(v)
		if !(v >= 0 && v < 0x1p32) {
			return nil, fmt.Errorf("value %d of %d: want from 0 to below 2^%d, got %g: training has diverged, or the data need scaling", i+1, len(values), mostPower, v)
		}
		if v == 0 {
			exp = leastPower
		}
		counts[powers*i+max(0, exp-leastPower)] = 1
	}
	counts, err := g.Sum(ctx, collabdict.Summand{Entry: e, Values: counts, Blocks: columnstats.AppendBlock(nil, len(counts), 1)})
	if err != nil {
		return nil, err
	}
	return highest(counts), nil
}

// highest returns the powers of two above the largest values, from counts.
func highest(counts []float64) []float64 {
	out := make([]float64, len(counts)/powers)
	for i := range out {
		top := 0
		for p, n := range counts[powers*i:][:powers] {
			if n > 0.5 {
				top = p
			}
		}
		out[i] = math.Ldexp(1, leastPower+top)
	}
	return out
}
