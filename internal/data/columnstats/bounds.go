package columnstats

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/numeric/lanes"
)

// Bounds hold at every member. Each member publishes powers of two above its number of rows and
// above the root mean squares of its columns. By Cauchy and Schwarz these bound every sum with
// weights 0 ≤ r ≤ 1: |Σ r x_i| ≤ N·RMS_i and |Σ r x_i x_j| ≤ N·RMS_i·RMS_j.
type Bounds struct {
	// Rows is above N^s, the number of rows of each member: the largest of the powers of two.
	Rows float64
	// RMS is above the root mean square of each column at each member (M): the largest again.
	RMS []float64
	// TotalRows is above the number of rows of all members together: the sum of the powers of two, with
	// the largest for each absent member. It is 0 if members publish nothing.
	TotalRows float64

	members int // number of members in TotalRows
}

const (
	version    = 1
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
	MomentsEntry  collabdict.Entry = "moments"  // of SumMoments and PrincipalAxes
)

// Publishes reports whether Agree publishes anything in a group of this size.
func Publishes(g collabdict.Group) bool { return g.Membership().Size <= manyMembers }

// Agree publishes the bounds of the rows x and returns bounds that hold at all members. In a
// large group, members find them by private sums and publish nothing.
func Agree(ctx context.Context, g collabdict.Group, x collabdict.Rows) (Bounds, error) {
	if !Publishes(g) {
		return AgreeBySums(ctx, g, x)
	}
	rowsExp, exps, err := exponents(x)
	if err != nil {
		return Bounds{}, err
	}
	blobs, err := g.Gather(ctx, BoundsEntry, encode(rowsExp, exps))
	if err != nil {
		return Bounds{}, fmt.Errorf("gather bounds: %w", err)
	}
	return widest(blobs, len(exps))
}

// AgreeBySums is Agree by private sums in groups of any size.
func AgreeBySums(ctx context.Context, g collabdict.Group, x collabdict.Rows) (Bounds, error) {
	rowsExp, exps, err := exponents(x)
	if err != nil {
		return Bounds{}, err
	}
	return agreeByCounts(ctx, g, BoundsEntry, rowsExp, exps)
}

// exponents returns the exponents of the powers of two above the number of rows, and above the
// root mean square of each column. Exponents of columns are at least -MaxExp; those above MaxExp
// are refused by decode.
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

// encode returns what a member publishes: a version byte, the exponent of its number of rows, M
// as four bytes, and M exponents of two bytes, big-endian.
func encode(rowsExp int, exps []int) []byte {
	out := binary.BigEndian.AppendUint32([]byte{version, byte(rowsExp)}, uint32(len(exps)))
	for _, exp := range exps {
		out = binary.BigEndian.AppendUint16(out, uint16(int16(exp)))
	}
	return out
}

// decode is the inverse of encode for data of dim columns.
func decode(blob []byte, dim int) (Bounds, error) {
	if len(blob) < 6 || blob[0] != version {
		return Bounds{}, fmt.Errorf("want bounds of version %d, got %d bytes in another format: run the same version on all members", version, len(blob))
	}
	if got := binary.BigEndian.Uint32(blob[2:]); got != uint32(dim) {
		return Bounds{}, fmt.Errorf("want %d columns as here, got %d", dim, got)
	}
	if len(blob) != 6+2*dim {
		return Bounds{}, fmt.Errorf("want bounds of %d bytes, got %d", 6+2*dim, len(blob))
	}
	if blob[1] > maxRowsExp {
		return Bounds{}, fmt.Errorf("want at most 2^%d rows, got 2^%d", maxRowsExp, blob[1])
	}
	b := Bounds{Rows: math.Ldexp(1, int(blob[1])), RMS: make([]float64, dim)}
	for i := range dim {
		exp := int(int16(binary.BigEndian.Uint16(blob[6+2*i:])))
		if exp < -MaxExp || exp > MaxExp {
			return Bounds{}, fmt.Errorf("column %d: want an exponent from %d to %d, got %d", i+1, -MaxExp, MaxExp, exp)
		}
		b.RMS[i] = math.Ldexp(1, exp)
	}
	return b, nil
}

// widest returns the bounds that hold at all members, given their blobs.
func widest(blobs [][]byte, dim int) (Bounds, error) {
	agreed := Bounds{RMS: make([]float64, dim), members: len(blobs)}
	absent := 0.0
	for s, blob := range blobs {
		if blob == nil { // not in the view
			absent++
			continue
		}
		b, err := decode(blob, dim)
		if err != nil {
			return Bounds{}, fmt.Errorf("bounds of member %d of %d: %w", s+1, len(blobs), err)
		}
		agreed.Rows = max(agreed.Rows, b.Rows)
		agreed.TotalRows += b.Rows
		for i, v := range b.RMS {
			agreed.RMS[i] = max(agreed.RMS[i], v)
		}
	}
	// A member outside this view may take part later, with as many rows as the bounds allow.
	agreed.TotalRows += float64(absent * agreed.Rows)
	return agreed, nil
}

// checkRows returns an error if members have sent more rows in total than they have published.
// Bounds of a vector do not show this: they let each member send as many rows as the member with
// the most, so one with few rows could count them many times. Newcomers have published nothing;
// each may have as many rows as the bounds allow.
func (b Bounds) checkRows(total float64, newcomers int) error {
	if b.TotalRows == 0 { // nothing is published
		return nil
	}
	published := b.TotalRows + float64(float64(newcomers)*b.Rows)
	if total > published*slack {
		return fmt.Errorf("members have sent %.10g rows together, but published fewer than %.10g: one of them counts more rows than it has; compare the numbers of rows with their owners", total, published)
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
	out := b.FirstMoments(nil, k)
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
