package portable

import (
	"math"
	"math/rand/v2"
)

// Normal returns a standard normal value from one Uint64 of the source, by inversion: the
// quantile of the centre of one of 2⁵³ cells of equal probability. The largest possible value
// is 8.3.
func Normal(src rand.Source) float64 {
	cell := src.Uint64() >> 11
	// Twice the distance from the cell's centre to ½ is odd and exact.
	q := float64(2*int64(cell)+1-1<<53) / (1 << 54)
	return quantile(q)
}

// Uniform returns a multiple of 2⁻⁵³ in [0, 1) from one Uint64 of the source.
func Uniform(src rand.Source) float64 { return float64(src.Uint64()>>11) / (1 << 53) }

// quantile returns the z with Φ(z) = ½ + q, algorithm AS 241 of Wichura (1988),
// with a relative error of about 10⁻¹⁵.
func quantile(q float64) float64 {
	if math.Abs(q) <= 0.425 {
		r := 0.180625 - float64(q*q)
		return float64(q * (polynomial(r, &centreOver) / polynomial(r, &centreUnder)))
	}
	r := math.Sqrt(-Log(0.5 - math.Abs(q)))
	var z float64
	if r <= 5 {
		z = polynomial(r-1.6, &middleOver) / polynomial(r-1.6, &middleUnder)
	} else {
		z = polynomial(r-5, &tailOver) / polynomial(r-5, &tailUnder)
	}
	return math.Copysign(z, q)
}

// polynomial is Horner's rule, the constant coefficient first.
func polynomial(x float64, c *[8]float64) float64 {
	sum := c[7]
	for i := 6; i >= 0; i-- {
		sum = float64(sum*x) + c[i]
	}
	return sum
}

// Coefficients of PPND16: rational functions for |q| ≤ 0.425, and beyond it for
// r = √(−ln p) up to 5 and above.
var (
	centreOver = [8]float64{
		3.3871328727963666080e0, 1.3314166789178437745e+2, 1.9715909503065514427e+3, 1.3731693765509461125e+4,
		4.5921953931549871457e+4, 6.7265770927008700853e+4, 3.3430575583588128105e+4, 2.5090809287301226727e+3,
	}
	centreUnder = [8]float64{
		1, 4.2313330701600911252e+1, 6.8718700749205790830e+2, 5.3941960214247511077e+3,
		2.1213794301586595867e+4, 3.9307895800092710610e+4, 2.8729085735721942674e+4, 5.2264952788528545610e+3,
	}
	middleOver = [8]float64{
		1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0,
		1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4,
	}
	middleUnder = [8]float64{
		1, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
		1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9,
	}
	tailOver = [8]float64{
		6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0, 2.96560571828504891230e-1,
		2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7,
	}
	tailUnder = [8]float64{
		1, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
		7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15,
	}
)
