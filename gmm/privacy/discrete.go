package privacy

import (
	"math"
	"math/bits"
	"math/rand/v2"
)

// discreteSteps is how many steps of its grid a standard deviation of discrete noise has at least.
const discreteSteps = 1 << 26

// Discrete is normal noise on a grid, of which several members add a part each. A number of
// steps k has a probability in proportion to exp(−k²/2σ²), exactly. Sums of such numbers are so
// near to one of their joint variance that no count of draws tells them apart (Kairouz, Liu and
// Steinke 2021, with σ in steps: the divergence is of the order exp(−π²σ²)).
type Discrete struct {
	step  float64 // a power of two
	sigma uint64  // standard deviation, in steps
}

// NewDiscrete returns noise of a standard deviation above 0, or a little more.
func NewDiscrete(sd float64) Discrete {
	_, exp := math.Frexp(sd / discreteSteps)
	step := math.Ldexp(1, exp-1)
	return Discrete{step, uint64(math.Ceil(sd / step))}
}

// DiscreteRounding bounds how much further apart two vectors of so many values are after they are
// rounded to the grid, in the Euclidean norm and in standard deviations of the noise.
func DiscreteRounding(values int) float64 { return math.Sqrt(float64(values)) / discreteSteps }

// Add rounds values to the grid and adds noise to each. Values beyond 2⁵² steps have no place
// on it.
func (d Discrete) Add(x []float64, src rand.Source) {
	for i, v := range x {
		x[i] = (math.RoundToEven(v/d.step) + float64(d.draw(src))) * d.step
	}
}

// draw is algorithm D of Karney (Sampling exactly from the normal distribution, ACM Transactions
// on Mathematical Software 42, 2016) about 0: that of [drawNormal] with the fraction j/σ, j below σ,
// in the place of a uniform one.
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
			continue // there is one 0
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

// digits returns the next 64 binary digits of rest/of, and what is left.
func digits(rest, of uint64) (word, left uint64) { return bits.Div64(rest, 0, of) }
