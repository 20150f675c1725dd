package columnstats

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/numeric/lanes"
)

// Bounds hold at every member. They are powers of two above the numbers of rows and above the root
// mean squares of columns. By Cauchy and Schwarz these bound every sum with weights 0 ≤ r ≤ 1:
// |Σ r x_i| ≤ N·RMS_i and |Σ r x_i x_j| ≤ N·RMS_i·RMS_j.
type Bounds struct {
	// Rows is above N^s, the number of rows of each member: the largest of the powers of two.
	Rows float64
	// RMS is above the root mean square of each column at each member (M): the largest again.
	RMS []float64
	// TotalRows is above the number of rows of all members together: the sum of the powers of two.
	TotalRows float64

	members int // number of members in TotalRows
}

const (
	maxRowsExp = 40
	// MaxExp is the largest exponent of a column's root mean square; the smallest is -MaxExp.
	MaxExp = 200
	// slack covers the rounding of sums that reach their bound.
	slack = 1 + 1e-6
)

// The entries of what this package's functions show.
const (
	BoundsEntry   collabdict.Entry = "bounds"   // of Agree
	FrameEntry    collabdict.Entry = "frame"    // of AgreeFrame
	ExtremesEntry collabdict.Entry = "extremes" // of Extremes
	MomentsEntry  collabdict.Entry = "moments"  // of sumMoments and PrincipalAxes
)

// Agree returns bounds of the rows of all members. By private sums, each learns only how many members
// have which powers of two.
func Agree(ctx context.Context, g collabdict.Group, x collabdict.Rows) (Bounds, error) {
	rowsExp, exps, err := exponents(x)
	if err != nil {
		return Bounds{}, err
	}
	return agreeByCounts(ctx, g, BoundsEntry, rowsExp, exps)
}

// exponents returns the exponents of the powers of two above the number of rows, and above the
// root mean square of each column. Exponents of columns are at least -MaxExp; those above MaxExp
// are refused by agreeByCounts.
func exponents(x collabdict.Rows) (rowsExp int, exps []int, err error) {
	n, _ := x.Dims()
	_, rowsExp = math.Frexp(float64(n))
	sums, err := lanes.Sum(squares, x, struct{}{})
	if err != nil {
		return 0, nil, err
	}
	for _, sum := range sums {
		exp := -MaxExp
		if rms := math.Sqrt(sum / float64(n)); rms > 0 {
			_, exp = math.Frexp(rms)
		}
		exps = append(exps, max(exp, -MaxExp))
	}
	return rowsExp, exps, nil
}

// squares sums the squares of the values of each column.
var squares = lanes.NewJob("squares", func(l *lanes.Lane, _ struct{}) ([]float64, error) {
	sums := make([]float64, l.Dim)
	return sums, l.Each(func(row []float64) {
		for i, v := range row {
			sums[i] += float64(v * v)
		}
	})
})

// checkRows returns an error if members have sent more rows in total than they had at the start.
// Bounds of a vector do not show this: they let each member send as many rows as the member with
// the most, so one with few rows could count them many times. Others may take part later, each
// with as many rows as the bounds allow.
func (b Bounds) checkRows(total float64, others int) error {
	most := b.TotalRows + float64(float64(others)*b.Rows)
	if total > most*slack {
		return fmt.Errorf("members have sent %.10g rows together, but had fewer than %.10g at the start: one of them counts more rows than it has; compare the numbers of rows with their owners", total, most)
	}
	return nil
}

// Scaled returns bounds for values scaled by the factor.
func (b Bounds) Scaled(factor float64) Bounds {
	b.RMS = slices.Clone(b.RMS)
	for i := range b.RMS {
		b.RMS[i] *= factor
	}
	return b
}

// Moments returns the blocks of the moments of k components with weights 0 ≤ r ≤ 1: counts,
// sums of each column, and products of columns i ≤ j. If products is false, only the squares of
// the columns take the place of the products.
func (b Bounds) Moments(k int, products bool) []collabdict.Block {
	m := len(b.RMS)
	out := b.FirstMoments(make([]collabdict.Block, 0, 2+m+m*(m+1)/2), k) // with room for one more
	for i, v := range b.RMS {
		others := b.RMS[i:]
		if !products {
			others = others[:1]
		}
		for _, w := range others {
			out = AppendMoment(out, collabdict.SecondMoments, k, b.Rows*v*w)
		}
	}
	return out
}

// FirstMoments appends the blocks of the counts and sums of k components.
func (b Bounds) FirstMoments(to []collabdict.Block, k int) []collabdict.Block {
	to = AppendMoment(to, collabdict.Counts, k, b.Rows)
	for _, v := range b.RMS {
		to = AppendMoment(to, collabdict.FirstMoments, k, b.Rows*v)
	}
	return to
}

// AppendBlock appends n values within ±bound to the blocks of a vector, and merges equal
// neighbours.
func AppendBlock(to []collabdict.Block, n int, bound float64) []collabdict.Block {
	return AppendMoment(to, collabdict.NoMoment, n, bound)
}

// AppendMoment is like AppendBlock, for values of a moment.
func AppendMoment(to []collabdict.Block, m collabdict.Moment, n int, bound float64) []collabdict.Block {
	bound *= slack
	if last := len(to) - 1; last >= 0 && to[last].Bound == bound && to[last].Moment == m {
		to[last].Len += n
		return to
	}
	return append(to, collabdict.Block{Len: n, Bound: bound, Moment: m})
}
