package chunking

import "math"

// A code is the fixed-point code of a block.
type code struct {
	exponent int        // f; a unit is 2^-f
	up, down [2]float64 // 2^f and 2^-f, each as two factors, since they may be outside the range of float64
	most     uint128    // largest absolute value of a total, in units
	session  float64    // value of a unit in a session; Float only
}

func newCode(a Arithmetic, size int, bound float64) code {
	var c code
	if a == Float {
		c = scaled(fractionBits - scaleExponent(bound))
		c.session = unit(bound)
		// Half the scale is room for the rounding of the session's total.
		c.most = c.units(bound).plus(1 << (fractionBits - 1)).times(uint64(size))
		return c
	}
	most := a.largest().over(uint64(size)) // units available to one member
	_, exp := math.Frexp(bound)
	c = scaled(most.len() - exp)
	if most.less(c.units(bound)) {
		c = scaled(most.len() - exp - 1)
	}
	c.most = c.units(bound).times(uint64(size))
	return c
}

// scaled returns the code with the given exponent.
func scaled(f int) code {
	half := f / 2
	return code{
		exponent: f,
		up:       [2]float64{math.Ldexp(1, half), math.Ldexp(1, f-half)},
		down:     [2]float64{math.Ldexp(1, -half), math.Ldexp(1, half-f)},
	}
}

// round returns x in units, rounded half to even. The products are exact, or so small that they
// round to zero.
func (c *code) round(x float64) float64 {
	return math.RoundToEven(float64(x*c.up[0]) * c.up[1])
}

// units returns the units of a bound.
func (c *code) units(bound float64) uint128 { return wide(c.round(bound)) }

// value returns the value of a whole number of units.
func (c *code) value(units float64) float64 { return float64(units*c.down[0]) * c.down[1] }

// largest returns the largest positive number of an arithmetic with a modulus.
func (a Arithmetic) largest() uint128 {
	switch a {
	case Ring128:
		return uint128{hi: math.MaxInt64, lo: math.MaxUint64}
	case Field:
		return uint128{lo: Prime / 2}
	}
	return uint128{lo: math.MaxInt64}
}
