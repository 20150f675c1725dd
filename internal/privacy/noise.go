package privacy

import (
	"math"
	"math/rand/v2"
)

// Noisy returns a value with normal noise of standard deviation sd above 0, rounded to a
// multiple of a power of two between sd/512 and sd/256. Without rounding, the low digits of a
// sum of floating-point numbers would reveal which values it can be a sum of (Mironov 2012).
//
// The multiples have the same probabilities as a value with exact normal noise that is then
// rounded, far into the tails ([drawNormal]). So noise computed for normal numbers
// ([GaussianRatio]) is right without correction, and δ does not grow with the number of draws.
// Discrete Gaussian noise would instead need rounding before the noise, which could move the
// values of two neighbouring sets of rows further apart than the rows do.
//
// This relies on the bits of the source, and does not cover rounding before the noise, such as
// that of a sum over rows.
func Noisy(value, sd float64, src rand.Source) float64 {
	_, exp := math.Frexp(sd)
	grid := math.Ldexp(1, exp-9)
	// The difference and the products with powers of two are exact. So is the sum, except for
	// the rounding of a very large one, which is an integer together with its noise.
	whole := math.Round(value / grid)
	rest := (value - float64(whole*grid)) / grid
	return (whole + float64(drawNormal(src).nearest(rest, sd/grid))) * grid
}
