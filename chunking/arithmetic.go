package chunking

import "math/bits"

// Arithmetic says in what values are added up. Everywhere they are whole numbers
// of units, one or two words per value, and sums of words wrap or are reduced, so
// that masks cancel exactly, in any order and on every machine.
type Arithmetic string

const (
	// Float has units of 2^-32 of the [Scale] of a bound, as int64. A session
	// averages them as float64, so its total is rounded; all else is exact
	// modulo 2^64.
	Float Arithmetic = "float"
	// Ring is the ring Z_2^64.
	Ring Arithmetic = "ring"
	// Ring128 is the ring Z_2^128, for totals as good as those of float64 in one
	// place: value i is in words 2i, the low one, and 2i+1.
	Ring128 Arithmetic = "parity"
	// Field is F_p with p = [Prime], in which one can divide: for averages by
	// rational weights, and for the shares of [Split].
	Field Arithmetic = "field"
)

// limbs returns the number of words of a value.
func (a Arithmetic) limbs() int {
	if a == Ring128 {
		return 2
	}
	return 1
}

// add adds src to dst.
func (a Arithmetic) add(dst, src []uint64) {
	src = src[:len(dst)]
	switch a {
	case Ring128:
		for i := 0; i+1 < len(dst); i += 2 {
			var carry uint64
			dst[i], carry = bits.Add64(dst[i], src[i], 0)
			dst[i+1], _ = bits.Add64(dst[i+1], src[i+1], carry)
		}
	case Field:
		for i, v := range src {
			dst[i] = FieldAdd(dst[i], v)
		}
	default:
		for i, v := range src {
			dst[i] += v
		}
	}
}

// subtract subtracts src from dst.
func (a Arithmetic) subtract(dst, src []uint64) {
	src = src[:len(dst)]
	switch a {
	case Ring128:
		for i := 0; i+1 < len(dst); i += 2 {
			var borrow uint64
			dst[i], borrow = bits.Sub64(dst[i], src[i], 0)
			dst[i+1], _ = bits.Sub64(dst[i+1], src[i+1], borrow)
		}
	case Field:
		for i, v := range src {
			dst[i] = FieldSub(dst[i], v)
		}
	default:
		for i, v := range src {
			dst[i] -= v
		}
	}
}
