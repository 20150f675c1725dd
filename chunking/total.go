package chunking

import (
	"fmt"
	"math/rand/v2"
)

// A TotalError reports a total that vectors within their bounds cannot have: members have
// expanded a mask differently, or lost one.
type TotalError struct {
	Value int // index of the first value outside the bounds, or -1 for the check of [Layout]
}

func (e *TotalError) Error() string {
	what := "the check of the total is not zero"
	if e.Value >= 0 {
		what = fmt.Sprintf("value %d of the total is larger than the sum of all bounds", e.Value)
	}
	return what + ": members have expanded a mask differently; run the same version everywhere"
}

// Total returns the sum of all members' vectors. words is the total of their session. pads is
// the sum of pads in units, or nil, and masks are further pads. Total calls
// [Layout.FromSession] and [Layout.Open].
func (l *Layout) Total(words, pads []uint64, masks ...Mask) ([]float64, error) {
	units, err := l.FromSession(words)
	if err != nil {
		return nil, err
	}
	return l.Open(units, pads, masks...)
}

// Open returns the sum of all members' vectors. units is their total, pads is the sum of pads
// in units, or nil, and masks are further pads. The values have the error of [Layout.Error] and
// are rounded to float64. A total that vectors within their bounds cannot have is a
// [*TotalError]. The arguments are not modified. Apart from the sum, Open allocates nothing of
// the length of a vector.
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
		sources[i] = rand.NewChaCha8(m.key())
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

// An opening computes a total from units that come piece by piece.
type opening struct {
	layout  *Layout
	total   []float64
	next    int // index of the next value
	block   int // block of the next value
	end     int // end of the block
	outside int // index of the first value outside the bounds, or -1
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

// lift returns value i as the whole number nearest to zero, as sign and absolute value.
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
