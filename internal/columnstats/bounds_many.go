package columnstats

import (
	"context"
	"fmt"
	"math"

	"github.com/collabdict/collabdict"
)

// In groups of more than manyMembers, members publish nothing: a Gather would send everything
// to everybody. They agree on the largest exponents by two private sums: of the number of
// members with an exponent in each span, and within the highest span.
const (
	manyMembers = 64
	span        = 20
	spans       = 2*MaxExp/span + 1
	rowsExps    = maxRowsExp + 1
)

// agreeByCounts is Agree for many members, given this member's exponents.
func agreeByCounts(ctx context.Context, g collabdict.Group, rowsExp int, exps []int) (Bounds, error) {
	if rowsExp > maxRowsExp {
		return Bounds{}, fmt.Errorf("want at most 2^%d rows, got 2^%d", maxRowsExp, rowsExp)
	}
	counts := make([]float64, rowsExps+spans*len(exps))
	counts[rowsExp] = 1
	for i, e := range exps {
		if e < -MaxExp || e > MaxExp {
			return Bounds{}, fmt.Errorf("column %d: want an exponent from %d to %d, got %d", i+1, -MaxExp, MaxExp, e)
		}
		counts[rowsExps+spans*i+(e+MaxExp)/span] = 1
	}
	counts, err := sumCounts(ctx, g, counts)
	if err != nil {
		return Bounds{}, fmt.Errorf("sum of the spans: %w", err)
	}
	b := Bounds{Rows: math.Ldexp(1, highest(counts[:rowsExps])), RMS: make([]float64, len(exps))}
	top := make([]int, len(exps))
	within := make([]float64, span*len(exps))
	for i, e := range exps {
		from := rowsExps + spans*i
		if top[i] = highest(counts[from : from+spans]); (e+MaxExp)/span == top[i] {
			within[span*i+(e+MaxExp)%span] = 1
		}
	}
	if within, err = sumCounts(ctx, g, within); err != nil {
		return Bounds{}, fmt.Errorf("sum of the exponents: %w", err)
	}
	for i := range exps {
		b.RMS[i] = math.Ldexp(1, span*top[i]+highest(within[span*i:span*(i+1)])-MaxExp)
	}
	return b, nil
}

// Tighten returns the bounds of the rows x after their columns were shifted by common values
// within b, the bounds before. In a large group it takes one sum of the number of members per
// exponent; exponents far below b are merged.
func (b Bounds) Tighten(ctx context.Context, g collabdict.Group, x collabdict.Rows) (Bounds, error) {
	if !Publishes(g) {
		_, exps, err := exponents(x)
		if err != nil {
			return Bounds{}, err
		}
		return b.tightenByCounts(ctx, g, exps)
	}
	return Agree(ctx, g, x)
}

// below is the number of exponents distinguished below the largest possible. A column with less
// left after its mean is subtracted counts as constant.
const below = 32

func (b Bounds) tightenByCounts(ctx context.Context, g collabdict.Group, exps []int) (Bounds, error) {
	counts := make([]float64, (below+1)*len(exps))
	top := make([]int, len(exps))
	for i, e := range exps {
		_, exp := math.Frexp(b.RMS[i]) // one more than the exponent of the bound, which is a power of two
		top[i] = min(exp+1, MaxExp)
		if e > top[i] {
			return Bounds{}, fmt.Errorf("column %d: want values moved by no more than their bound, got a root mean square of 2^%d for one of %g", i+1, e, b.RMS[i])
		}
		counts[(below+1)*i+max(0, below-(top[i]-e))] = 1
	}
	counts, err := sumCounts(ctx, g, counts)
	if err != nil {
		return Bounds{}, fmt.Errorf("sum of the exponents: %w", err)
	}
	tight := Bounds{Rows: b.Rows, RMS: make([]float64, len(exps))}
	for i := range exps {
		exp := top[i] - below + highest(counts[(below+1)*i:(below+1)*(i+1)])
		tight.RMS[i] = math.Ldexp(1, max(exp, -MaxExp))
	}
	return tight, nil
}

func sumCounts(ctx context.Context, g collabdict.Group, counts []float64) ([]float64, error) {
	return g.Sum(ctx, counts, AppendBlock(nil, len(counts), 1))
}

// highest returns the last place with a member, or the first place if there is none.
func highest(counts []float64) int {
	for i := len(counts) - 1; i > 0; i-- {
		if counts[i] > 0.5 {
			return i
		}
	}
	return 0
}
