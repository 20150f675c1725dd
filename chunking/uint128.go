package chunking

import (
	"math"
	"math/bits"
)

// A uint128 is the absolute value of a total, in any arithmetic.
type uint128 struct{ hi, lo uint64 }

// wide returns the absolute value of a whole number below 2^128.
func wide(v float64) uint128 {
	v = math.Abs(v)
	hi := math.Floor(v * 0x1p-64)
	return uint128{uint64(hi), uint64(v - float64(hi*0x1p64))}
}

func (u uint128) less(v uint128) bool { return u.hi < v.hi || u.hi == v.hi && u.lo < v.lo }

func (u uint128) len() int {
	if u.hi > 0 {
		return 64 + bits.Len64(u.hi)
	}
	return bits.Len64(u.lo)
}

func (u uint128) plus(n uint64) uint128 {
	lo, carry := bits.Add64(u.lo, n, 0)
	return uint128{u.hi + carry, lo}
}

func (u uint128) times(n uint64) uint128 {
	hi, lo := bits.Mul64(u.lo, n)
	return uint128{hi + u.hi*n, lo}
}

func (u uint128) over(n uint64) uint128 {
	hi, rest := bits.Div64(0, u.hi, n)
	lo, _ := bits.Div64(rest, u.lo, n)
	return uint128{hi, lo}
}

// negative returns 2^128 - u.
func (u uint128) negative() uint128 {
	lo, borrow := bits.Sub64(0, u.lo, 0)
	return uint128{-u.hi - borrow, lo}
}

// float returns u as float64, rounded half to even.
func (u uint128) float() float64 {
	n := bits.Len64(u.hi)
	top := u.hi<<(64-n) | u.lo>>n
	if u.lo<<(64-n) != 0 {
		top |= 1 // a nonzero rest below the last digit decides ties
	}
	return math.Ldexp(float64(top), n)
}
