package chunking

import "fmt"

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

// Total returns the sum of all members' vectors from the total of their session
// and the units of the sum of all pads; nil stands for no pads. It is
// [Layout.FromSession] and [Layout.Open].
func (l *Layout) Total(words, pads []uint64) ([]float64, error) {
	units, err := l.FromSession(words)
	if err != nil {
		return nil, err
	}
	return l.Open(units, pads)
}

// Open returns the sum of all members' vectors from the units of their total and
// of the sum of all pads; nil stands for no pads. The values are off by
// [Layout.Error] and their rounding to float64. A total that cannot be one of
// vectors within their bounds is a [*TotalError]; the arguments are not modified.
func (l *Layout) Open(units, pads []uint64) ([]float64, error) {
	if err := l.Check(units); err != nil {
		return nil, err
	}
	total := append([]uint64(nil), units...)
	if pads != nil {
		if err := l.Check(pads); err != nil {
			return nil, err
		}
		l.arithmetic.subtract(total, pads)
	}
	for _, w := range total[l.values*l.arithmetic.limbs():] {
		if w != 0 {
			return nil, &TotalError{Value: -1}
		}
	}
	x := make([]float64, l.values)
	i := 0
	for b := range l.blocks {
		c := &l.codes[b]
		for end := i + l.blocks[b].Len; i < end; i++ {
			negative, u := l.lift(total, i)
			if c.most.less(u) {
				return nil, &TotalError{Value: i}
			}
			x[i] = c.value(u.float())
			if negative {
				x[i] = -x[i]
			}
		}
	}
	return x, nil
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
