package portable

import "math"

// ln 2 in two parts. The first has 32 bits, so that its product with any exponent
// is exact.
const (
	ln2High = 0x1.62e42feep-1
	ln2Low  = 0x1.a39ef35793c76p-33
)

// artanh are the coefficients of s²² to s² in artanh(s)/s.
var artanh = [11]float64{1. / 23, 1. / 21, 1. / 19, 1. / 17, 1. / 15, 1. / 13, 1. / 11, 1. / 9, 1. / 7, 1. / 5, 1. / 3}

// Log returns the natural logarithm of a finite x > 0 with a relative error below
// 4·10⁻¹⁶. It panics for any other x.
func Log(x float64) float64 {
	if !(x > 0) || math.IsInf(x, 1) {
		panic("portable: logarithm of a number that is not positive and finite")
	}
	m, exp := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m *= 2
		exp--
	}
	// ln m = 2 artanh s = 2s (1 + s²/3 + s⁴/5 + …). As |s| ≤ 0.172, what is left
	// after s²² is below 10⁻¹⁷ of the sum.
	f := m - 1
	s := f / (2 + f)
	z := float64(s * s)
	sum := 0.0
	for _, c := range artanh {
		sum = float64(sum*z) + c
	}
	// 2s = f − s·f, in which f is exact.
	e := float64(exp)
	rest := float64(s*f) - float64(float64(2*s)*float64(sum*z)) - float64(e*ln2Low)
	return float64(e*ln2High) + (f - rest)
}

// LogProduct returns the logarithm of the product of finite numbers above 0, 0 for none.
// It panics for any other.
func LogProduct(x []float64) float64 {
	product, exp := 1.0, 0
	for i, v := range x {
		if !(v > 0) || math.IsInf(v, 1) {
			panic("portable: logarithm of a number that is not positive and finite")
		}
		m, e := math.Frexp(v)
		product = float64(product * m)
		exp += e
		if i%512 == 511 { // 512 mantissas of ½ and more are above the smallest number
			m, e := math.Frexp(product)
			product = m
			exp += e
		}
	}
	return Log(product) + float64(float64(exp)*math.Ln2)
}
