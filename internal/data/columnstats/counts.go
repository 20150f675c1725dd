package columnstats

import (
	"context"
	"fmt"
	"math"

	"github.com/collabdict/collabdict"
)

// Members agree on the largest exponents by two private sums: of the number of members with an exponent
// in each span, and within the highest span.
const (
	span     = 20
	spans    = 2*MaxExp/span + 1
	rowsExps = maxRowsExp + 1
)

// agreeByCounts agrees on bounds by private sums, given this member's exponents.
func agreeByCounts(ctx context.Context, g collabdict.Group, e collabdict.Entry, rowsExp int, exps []int) (Bounds, error) {
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
	counts, err := sumCounts(ctx, g, e, counts)
	if err != nil {
		return Bounds{}, fmt.Errorf("sum of the spans: %w", err)
	}
	b := Bounds{Rows: math.Ldexp(1, highest(counts[:rowsExps])), RMS: make([]float64, len(exps))}
	for e, n := range counts[:rowsExps] {
		n = math.Round(n)
		b.TotalRows += math.Ldexp(n, e)
		b.members += int(n)
	}
	top := make([]int, len(exps))
	within := make([]float64, span*len(exps))
	for i, e := range exps {
		from := rowsExps + spans*i
		if top[i] = highest(counts[from : from+spans]); (e+MaxExp)/span == top[i] {
			within[span*i+(e+MaxExp)%span] = 1
		}
	}
	if within, err = sumCounts(ctx, g, e, within); err != nil {
		return Bounds{}, fmt.Errorf("sum of the exponents: %w", err)
	}
	for i := range exps {
		b.RMS[i] = math.Ldexp(1, span*top[i]+highest(within[span*i:span*(i+1)])-MaxExp)
	}
	return b, nil
}

func sumCounts(ctx context.Context, g collabdict.Group, e collabdict.Entry, counts []float64) ([]float64, error) {
	return g.Sum(ctx, collabdict.Summand{Entry: e, Values: counts, Blocks: AppendBlock(nil, len(counts), 1)})
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
