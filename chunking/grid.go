package chunking

import "math"

// Values and chunks are integers in units of a grid that follows from the bound of
// their block, so that residues add up exactly, on every kind of machine, and
// their low-order digits tell nothing: a chunk is as good as uniform over many
// times the range of the values, down to the last unit of the grid.

const (
	// fractionBits is the grid's fineness: a value at its bound is 2^fractionBits
	// units.
	fractionBits = 32
	// chunkBits is the width of each of the terms uniform numbers whose sum, less
	// its mean, is a chunk's value.
	chunkBits = 53
	terms     = 4
	// MaxFanout is the largest number of chunks that a member may hand out. With as
	// many that it is handed, and a pad, no residue leaves the range of 64 bits:
	// (2·MaxFanout+1)·2^54 + 2^33 < 2^63. Where partners are drawn at random it may
	// be handed more; of a thousand masks one value leaves the range with a
	// probability below e^-1500, and [Layout.FromSession] is right even then.
	MaxFanout = 250
)

// Deviation is the standard deviation of a chunk's value in units of [Scale]: that
// of the sum of four numbers uniform over 2^53 units of the grid,
// 2^53·√(4/12)/2^32.
const Deviation = (1 << 21) / 1.7320508075688772

// Scale returns the power of two that stands for the bound of a block in a session
// of float64: at most twice the bound, and at least the bound but for the slack of
// rounding, a part in 2^16. It is kept between 2^-800 and 2^900, so that no sum of
// residues leaves the range of float64; vectors keep their precision all the same.
func Scale(bound float64) float64 {
	return math.Ldexp(1, min(max(scaleExponent(bound), -800), 900))
}

// scaleExponent returns the exponent of the power of two that stands for a bound.
func scaleExponent(bound float64) int {
	_, exp := math.Frexp(bound / (1 + 0x1p-16))
	return exp
}

// unit returns what a unit of the grid is in a session.
func unit(bound float64) float64 { return math.Ldexp(Scale(bound), -fractionBits) }
