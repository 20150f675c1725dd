package privacy

import (
	"math"
	"math/bits"
	"math/rand/v2"
)

// discreteSteps is the minimum number of grid steps per standard deviation of discrete noise.
const discreteSteps = 1 << 26

// Discrete is normal noise on a grid, to which several members add a part each. k steps have a
// probability exactly proportional to exp(−k²/2σ²). A sum of such numbers is so close to a
// single one of the total variance that no number of draws can distinguish them (Kairouz, Liu
// and Steinke 2021). With σ in steps, the divergence is of the order exp(−π²σ²).
type Discrete struct {
	step  float64 // a power of two
	sigma uint64  // standard deviation, in steps
}

// NewDiscrete returns noise whose standard deviation is sd, above 0, or slightly more.
func NewDiscrete(sd float64) Discrete {
	_, exp := math.Frexp(sd / discreteSteps)
	step := math.Ldexp(1, exp-1)
	return Discrete{step, uint64(math.Ceil(sd / step))}
}

// discreteRounding returns a bound of the distance that rounding to the grid can add between
// two vectors with the given number of values, in the Euclidean norm and in standard deviations
// of the noise.
func discreteRounding(values int) float64 { return math.Sqrt(float64(values)) / discreteSteps }

// Add rounds each value to the grid and adds noise. Values must be at most 2⁵² steps in size.
func (d Discrete) Add(x []float64, src rand.Source) {
	for i, v := range x {
		x[i] = (math.RoundToEven(v/d.step) + float64(d.draw(src))) * d.step
	}
}

// draw is algorithm D of Karney (Sampling exactly from the normal distribution, ACM
// Transactions on Mathematical Software 42, 2016) with mean 0. It is [drawNormal] with the
// fraction j/σ, j below σ, instead of a uniform one.
func (d Discrete) draw(src rand.Source) int64 {
	for {
		k := uint64(0)
		for rootOfE(src) {
			k++
		}
		if !all(k*(k-1), func() bool { return rootOfE(src) }) {
			continue
		}
		negative, j := src.Uint64()>>63 == 1, uniform(src, d.sigma)
		if negative && k == 0 && j == 0 {
			continue // count 0 only once, not as −0 again
		}
		part := &fraction{src: src, rest: j, of: d.sigma}
		if !all(k+1, func() bool { return part.accepted(k) }) {
			continue
		}
		steps := int64(k*d.sigma + j)
		if negative {
			return -steps
		}
		return steps
	}
}

// digits returns the next 64 binary digits of rest/of, and the remainder.
func digits(rest, of uint64) (word, left uint64) { return bits.Div64(rest, 0, of) }
