package privacy

import (
	"math"
	"math/rand/v2"

	"github.com/collabdict/collabdict/internal/portable"
)

// Noisy returns a value with normal noise of standard deviation sd above 0, rounded to a
// multiple of a power of two between sd/512 and sd/256. The low digits of a sum of
// floating-point numbers would tell which values it can be of (Mironov 2012). Multiples
// are as likely as those of an exactly normal value, rounded: the total variation is
// below 2⁻³⁷, 2⁵³ values of the noise on 2¹³ multiples and the rounding of a quantile
// counted, whatever the value is, up to 2⁴⁰·sd. What comes before the noise is not in
// that: the rounding of a sum over rows.
func Noisy(value, sd float64, src rand.Source) float64 {
	_, exp := math.Frexp(sd)
	grid := math.Ldexp(1, exp-9)
	// Apart from the noise all of this is exact: a large value rounds nothing off.
	whole := math.Floor(value / grid)
	rest := value - float64(whole*grid)
	return (whole + math.RoundToEven((rest+float64(sd*portable.Normal(src)))/grid)) * grid
}
