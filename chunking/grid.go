package chunking

import "math"

// In Float, values and chunks are integers in units of a grid that depends on the bound of
// their block. So residues add up exactly on every machine, and their low-order digits reveal
// nothing: a chunk is nearly uniform over many times the range of the values, down to the last
// unit of the grid.

const (
	// fractionBits is the resolution of the grid: a value at its bound is 2^fractionBits units.
	fractionBits = 32
	// chunkBits is the width of a uniform number. The sum of terms such numbers, minus its
	// mean, is a chunk's value.
	chunkBits = 53
	terms     = 4
	// MaxFanout is the largest number of chunks that a member may deal. With the same number
	// received, and a pad, no residue leaves the range of 64 bits: (2·MaxFanout+1)·2^54 + 2^33
	// < 2^63. If partners are drawn at random, a member may receive more. With a thousand masks
	// a value leaves the range with a probability below e^-1500, and [Layout.FromSession] is
	// right even then.
	MaxFanout = 250
)

// Deviation is the standard deviation of a chunk's value in units of [Scale]. The value is the
// sum of four numbers that are uniform over 2^53 units of the grid, so the deviation is
// 2^53·√(4/12)/2^32.
const Deviation = (1 << 21) / 1.7320508075688772

// Scale returns the power of two that represents the bound of a block in a float64 session. It
// is at most twice the bound, and at least the bound except for a rounding slack of 2^-16 of it.
// It is kept between 2^-800 and 2^900, so that no sum of residues leaves the range of float64.
// This costs vectors no precision.
func Scale(bound float64) float64 {
	return math.Ldexp(1, min(max(scaleExponent(bound), -800), 900))
}

// scaleExponent returns the exponent of the power of two that represents a bound.
func scaleExponent(bound float64) int {
	_, exp := math.Frexp(bound / (1 + 0x1p-16))
	return exp
}

// unit returns the value of a grid unit in a session.
func unit(bound float64) float64 { return math.Ldexp(Scale(bound), -fractionBits) }
