package columnstats

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/numeric/portable"
)

// A Frame has a common centre and a common unit for each column. They are only roughly the mean
// and the deviation of all members' rows, and show little of any member.
type Frame struct {
	Centre, Spread []float64
	// Constant lists the columns in which the rows of all members have one value, as far as the
	// precision of the sum shows. Their Spread is 1.
	Constant []int
	// Others has the spread of each column at the other members, as roughly as Spread.
	Others []float64
}

// A Middle has a member's own middle and spread of each column: mean and deviation, or median
// and quartiles. The spread of a constant column is 0.
type Middle struct{ Centre, Spread []float64 }

const (
	// wide is the bound of the middles and spreads in a frame above which its unit grows, because
	// members differ from each other by more than their own rows do.
	wide = 4
	// alike is the share of its size below which the variation of a column is rounding.
	alike = 0x1p-20
	// digits is the number of binary digits of the values in a frame's sum.
	digits = 36
)

// AgreeFrame agrees on a frame. At this member, rows have the middle own. It takes one sum of the
// members' middles and spreads, with weights w between ½ and 2:
//
//	Σ w,  Σ w·(centre + u·spread),  Σ w·spread·2^v.
//
// The values u and v between −1 and 1, and w, are random, one for each column, and known to their
// member alone. They follow from src, so they are the same after a restart. If the total lacks a
// member, and another total shows that, the difference tells its middle only to within its
// spread, its spread to within a factor of two, and not its number of rows.
//
// Before the sum, members agree on bounds of it; after it, on bounds of their middles in the frame. Both
// follow from private sums, because bounds by name would show where each member's rows are.
func AgreeFrame(ctx context.Context, g collabdict.Group, own Middle, src rand.Source) (*Frame, error) {
	dim := len(own.Centre)
	bounds, err := agreeByCounts(ctx, g, FrameEntry, 1, own.exponents())
	if err != nil {
		return nil, fmt.Errorf("frame: %w", err)
	}
	reach, spreads := bounds.RMS[:dim], bounds.RMS[dim:]
	var values []float64
	var blocks []collabdict.Block
	for j, centre := range own.Centre {
		u, v := 2*portable.Uniform(src)-1, 2*portable.Uniform(src)-1
		w := math.Exp2(2*portable.Uniform(src) - 1)
		add := func(value, bound float64) {
			unit := math.Ldexp(bound, -digits)
			values = append(values, math.Round(value/unit)*unit)
			blocks = AppendBlock(blocks, 1, bound)
		}
		add(w, 2)
		add(w*(centre+float64(u*own.Spread[j])), 2*reach[j])
		add(float64(w*own.Spread[j])*math.Exp2(v), 4*spreads[j])
	}
	values, blocks = split(values, blocks)
	total, err := g.Sum(ctx, collabdict.Summand{Entry: FrameEntry, Values: values, Blocks: blocks})
	if err != nil {
		return nil, fmt.Errorf("frame: %w", err)
	}
	total, values = join(total), join(values)
	f := &Frame{Centre: make([]float64, dim), Spread: make([]float64, dim), Others: make([]float64, dim)}
	for j := range dim {
		w := total[3*j]
		f.Others[j] = math.Max(total[3*j+2]-values[3*j+2], 0) / (w - values[3*j])
		f.Centre[j], f.Spread[j] = total[3*j+1]/w, 1
		if spreads[j] > smallest {
			f.Spread[j] = math.Max(total[3*j+2]/w, float64(alike*spreads[j]))
		}
	}
	within, err := agreeByCounts(ctx, g, FrameEntry, 1, own.in(f).exponents()[:dim])
	if err != nil {
		return nil, fmt.Errorf("frame: %w", err)
	}
	for j, size := range within.RMS {
		switch {
		case spreads[j] > smallest:
			f.Spread[j] *= math.Max(1, size/wide)
		case size > math.Max(alike*reach[j], smallest): // members have one value each, and not the same
			f.Spread[j] = size
		default:
			f.Constant = append(f.Constant, j)
		}
	}
	return f, nil
}

// in returns the middle in the coordinates of a frame.
func (m Middle) in(f *Frame) (out Middle) {
	for j, c := range m.Centre {
		out.Centre = append(out.Centre, (c-f.Centre[j])/f.Spread[j])
		out.Spread = append(out.Spread, m.Spread[j]/f.Spread[j])
	}
	return out
}

// smallest is the bound of columns without any value but 0.
var smallest = math.Ldexp(1, -MaxExp)

// exponents returns the exponents of the powers of two above what a member puts into a frame's
// sum for each column: first the sizes of the centres with their spreads, then the spreads.
func (m Middle) exponents() (exps []int) {
	exponent := func(v float64) int {
		if v == 0 {
			return -MaxExp
		}
		_, e := math.Frexp(v)
		return max(e, -MaxExp)
	}
	for j, c := range m.Centre {
		exps = append(exps, exponent(math.Abs(c)+m.Spread[j]))
	}
	for _, s := range m.Spread {
		exps = append(exps, exponent(s))
	}
	return exps
}
