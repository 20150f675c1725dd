package chunking

import (
	"fmt"
	"math/rand/v2"
)

// TotalError says that a total is not one of vectors within their bounds, so that
// members must have expanded a mask differently, or lost one.
type TotalError struct {
	Value int // the first value outside the bounds, or -1 if it is the check of [Layout]
}

func (e *TotalError) Error() string {
	what := "the check of the total is not zero"
	if e.Value >= 0 {
		what = fmt.Sprintf("value %d of the total is larger than all bounds together allow", e.Value)
	}
	return what + ": members have expanded a mask differently; run the same version everywhere"
}

// Total returns the sum of all members' vectors from the total of their session, the
// units of the sum of pads, nil for none, and the masks of more pads. It is
// [Layout.FromSession] and [Layout.Open].
func (l *Layout) Total(words, pads []uint64, masks ...Mask) ([]float64, error) {
	units, err := l.FromSession(words)
	if err != nil {
		return nil, err
	}
	return l.Open(units, pads, masks...)
}

// Open returns the sum of all members' vectors from the units of their total, of the
// sum of pads, nil for none, and the masks of more pads. The values are off by
// [Layout.Error] and their rounding to float64. A total that cannot be one of
// vectors within their bounds is a [*TotalError]; the arguments are not modified.
// Beside the sum it takes no memory of the length of a vector.
func (l *Layout) Open(units, pads []uint64, masks ...Mask) ([]float64, error) {
	if err := l.Check(units); err != nil {
		return nil, err
	}
	if pads != nil {
		if err := l.Check(pads); err != nil {
			return nil, err
		}
	}
	sources := make([]*rand.ChaCha8, len(masks))
	for i, m := range masks {
		sources[i] = m.source()
	}
	o := opening{layout: l, total: make([]float64, l.values), block: -1, outside: -1}
	var room [maskBlock]uint64
	for from := 0; from < len(units); from += len(room) {
		piece := room[:copy(room[:], units[from:])]
		if pads != nil {
			l.arithmetic.subtract(piece, pads[from:from+len(piece)])
		}
		for _, source := range sources {
			l.arithmetic.drawn(piece, source, true)
		}
		o.take(piece)
	}
	switch {
	case o.check != 0:
		return nil, &TotalError{Value: -1}
	case o.outside >= 0:
		return nil, &TotalError{Value: o.outside}
	}
	return o.total, nil
}

// opening makes a total of units that come piece by piece.
type opening struct {
	layout  *Layout
	total   []float64
	next    int // value
	block   int // that it is in
	end     int // of the block
	outside int // the first value outside the bounds, or -1
	check   uint64
}

func (o *opening) take(units []uint64) {
	l := o.layout
	limbs := l.arithmetic.limbs()
	for at := 0; at < len(units); at += limbs {
		if o.next == l.values {
			for _, w := range units[at:] {
				o.check |= w
			}
			return
		}
		for o.next == o.end {
			o.block++
			o.end += l.blocks[o.block].Len
		}
		negative, u := l.lift(units[at:], 0)
		c := &l.codes[o.block]
		if c.most.less(u) && o.outside < 0 {
			o.outside = o.next
		}
		x := c.value(u.float())
		if negative {
			x = -x
		}
		o.total[o.next] = x
		o.next++
	}
}

// lift returns value i as the whole number that is nearest to zero: its sign and
// absolute value.
func (l *Layout) lift(units []uint64, i int) (negative bool, u uint128) {
	switch l.arithmetic {
	case Ring128:
		u = uint128{units[2*i+1], units[2*i]}
		if negative = int64(u.hi) < 0; negative {
			u = u.negative()
		}
	case Field:
		u.lo = units[i]
		if negative = u.lo > Prime/2; negative {
			u.lo = Prime - u.lo
		}
	default:
		u.lo = units[i]
		if negative = int64(u.lo) < 0; negative {
			u.lo = -u.lo
		}
	}
	return negative, u
}
