package privacy

import (
	"math"
	"math/rand/v2"
)

// Noisy returns a value with normal noise of standard deviation sd above 0, rounded to a
// multiple of a power of two between sd/512 and sd/256. The low digits of a sum of
// floating-point numbers would tell which values it can be of (Mironov 2012).
//
// The multiples are as likely as those of a value with exactly normal noise that is then
// rounded, far into the tails ([drawNormal]). So noise that was worked out for normal
// numbers ([GaussianRatio]) is right as it is, and nothing comes to δ by the number of
// draws. (Rounded before the noise, as discrete Gaussian noise wants it, values of two
// neighbouring sets of rows would differ by more than the rows do.) What this takes for
// granted are the source's bits, and what comes before the noise is not in it: the
// rounding of a sum over rows.
func Noisy(value, sd float64, src rand.Source) float64 {
	_, exp := math.Frexp(sd)
	grid := math.Ldexp(1, exp-9)
	// The difference and the products by powers of two are exact, and so is the sum but
	// for the rounding of a very large one, which is one of an integer with its noise.
	whole := math.Round(value / grid)
	rest := (value - float64(whole*grid)) / grid
	return (whole + float64(drawNormal(src).nearest(rest, sd/grid))) * grid
}
