package discrepancy

import (
	"context"
	"fmt"
	"math"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/data/columnstats"
)

// Entry names the sums of [Rule.Agree], and of the bounds of what it sums.
const Entry collabdict.Entry = "discrepancies"

// Agree returns this member's weight. most bounds every member's values and must be the same at
// all; its Discrepancy matters only if the rule is Relative. Agree makes a sum of rows (and
// discrepancies), with Auto one of counts, and one of weights. Besides their own weight,
// members learn these sums, and with Auto the number of members that need each size of offset.
//
// The weights of members absent from these sums, or from a later one, are missing from the
// total of 1. Code that averages models therefore sums p_k beside p_k·ω_k, and divides.
func (r Rule) Agree(ctx context.Context, g collabdict.Group, own, most Member) (Weight, error) {
	if err := r.check(own); err != nil {
		return Weight{}, fmt.Errorf("discrepancy: %w", err)
	}
	rows, d, err := r.relative(ctx, g, own, most)
	if err != nil {
		return Weight{}, fmt.Errorf("discrepancy: sum of the rows: %w", err)
	}
	share := own.Rows / rows
	offset := r.B
	if r.Auto {
		need, margin := float64(r.A*d)-share, leastShare/float64(g.Membership().Size)
		if offset, err = agreeOffset(ctx, g, need, margin); err != nil {
			return Weight{}, fmt.Errorf("discrepancy: sum of the offsets: %w", err)
		}
	}
	weight, bound := r.weight(share, d, offset), r.bound(most.Rows/rows, offset)
	total, err := g.Sum(ctx, collabdict.Summand{Entry: Entry, Values: []float64{weight}, Blocks: columnstats.AppendBlock(nil, 1, bound)})
	if err != nil {
		return Weight{}, fmt.Errorf("discrepancy: sum of the weights: %w", err)
	}
	// Below this, a sum is mostly the rounding of chunks.
	if total[0] <= math.Ldexp(float64(bound*float64(g.Membership().Size)), -20) {
		return Weight{P: share, Offset: offset, ByRows: true, Rows: rows}, nil
	}
	return Weight{P: weight / total[0], Offset: offset, Rows: rows}, nil
}

func (r Rule) check(own Member) error {
	switch {
	case !(r.A >= 0) || math.IsInf(r.A, 1):
		return fmt.Errorf("want an effect of at least 0, got a = %g", r.A)
	case math.IsNaN(r.B) || math.IsInf(r.B, 0):
		return fmt.Errorf("want a finite offset, got b = %g", r.B)
	case !(own.Rows >= 1) || math.IsInf(own.Rows, 1):
		return fmt.Errorf("want a member of at least one row, got %g", own.Rows)
	case math.IsNaN(own.Discrepancy) || math.IsInf(own.Discrepancy, 0):
		return fmt.Errorf("want a finite discrepancy, got %g", own.Discrepancy)
	}
	return nil
}

// relative returns the number of all rows, and this member's discrepancy, divided by the sum of
// all if the rule says so.
func (r Rule) relative(ctx context.Context, g collabdict.Group, own, most Member) (rows, d float64, err error) {
	d = math.Max(0, own.Discrepancy)
	x, blocks := []float64{own.Rows}, columnstats.AppendBlock(nil, 1, most.Rows)
	if r.Relative {
		x, blocks = append(x, d), columnstats.AppendBlock(blocks, 1, most.Discrepancy)
	}
	total, err := g.Sum(ctx, collabdict.Summand{Entry: Entry, Values: x, Blocks: blocks})
	if err != nil {
		return 0, 0, err
	}
	rows = math.Round(total[0])
	if !(rows >= 1) {
		return 0, 0, fmt.Errorf("want at least one row at all members together, got %g", total[0])
	}
	if r.Relative {
		// Discrepancies within rounding count as none.
		if total[1] <= math.Ldexp(float64(most.Discrepancy*float64(g.Membership().Size)), -20) {
			d = 0
		} else {
			d /= total[1]
		}
	}
	return rows, d, nil
}
