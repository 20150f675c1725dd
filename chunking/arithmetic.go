package chunking

import "math/bits"

// An Arithmetic is the kind of number in which vectors are added up. Values are whole numbers
// of units, with one or two words each. Sums of words wrap or are reduced, so masks cancel
// exactly, in any order and on any machine.
type Arithmetic string

const (
	// Float has units of 2^-32 of a bound's [Scale], as int64. A session averages them as
	// float64, so its total is rounded. Everything else is exact modulo 2^64.
	Float Arithmetic = "float"
	// Ring is the ring Z_2^64.
	Ring Arithmetic = "ring"
	// Ring128 is the ring Z_2^128, for totals as accurate as sums in float64 at a single place.
	// Value i is in the words 2i (low) and 2i+1 (high).
	Ring128 Arithmetic = "parity"
	// Field is F_p with p = [Prime]. It has division, which averages with rational weights and
	// the shares of [Split] need.
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
