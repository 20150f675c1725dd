package portable

import "math"

// factorials are 1/13! to 1/2!, the coefficients of r¹³ to r² in eʳ.
var factorials = [12]float64{
	1. / 6227020800, 1. / 479001600, 1. / 39916800, 1. / 3628800, 1. / 362880, 1. / 40320,
	1. / 5040, 1. / 720, 1. / 120, 1. / 24, 1. / 6, 1. / 2,
}

// Exp returns eˣ for x ≤ 0 with a relative error below 4·10⁻¹⁶, and 0 for x < −700. It panics for
// any other x.
func Exp(x float64) float64 {
	if !(x <= 0) {
		panic("portable: exponential of a number above 0")
	}
	if x < -700 {
		return 0
	}
	// x = k ln 2 + r with |r| ≤ 0.35, so what is left after r¹³ is below 10⁻¹⁷.
	k := math.Round(x / math.Ln2)
	r := x - float64(k*ln2High) - float64(k*ln2Low)
	sum := 0.0
	for _, c := range factorials {
		sum = float64(sum*r) + c
	}
	return math.Ldexp(1+(r+float64(float64(sum*r)*r)), int(k))
}
