package mixture

import "math"

// negligible is the exponent of e at which a weight is taken as 0, so that no product with one
// is a denormal number.
const negligible = -600

const (
	log2E   = 1.44269504088896338700e+00
	ln2High = 6.93147180369123816490e-01 // its low bits are 0, so that its multiples are exact
	ln2Low  = 1.90821492927058770002e-10
	magic   = 0x1.8p52 // a number of this size has its units in the lowest bits
)

// taylor are 1/n!. With |r| ≤ ½ ln 2 the remainder of the series is below 1e-17.
var taylor = func() (c [14]float64) {
	f := 1.0
	for n := range c {
		if n > 1 {
			f *= float64(n)
		}
		c[n] = 1 / f
	}
	return c
}()

// Exp returns e to the power of v, which is at most 0, with the same bits on every machine. The
// result is 0 from −600 down, and NaN for NaN.
func Exp(v float64) float64 { return exp(v) }

// exp returns e to the power of v, which is at most 0, to about 1 ulp. The result is 0 from
// negligible down, and NaN for NaN.
func exp(v float64) float64 {
	if !(v > negligible) {
		if v != v {
			return v
		}
		return 0
	}
	n := math.FMA(log2E, v, magic)
	whole := n - magic
	r := math.FMA(-ln2High, whole, v)
	r = math.FMA(-ln2Low, whole, r)
	square := r * r
	odd, even := taylor[13], taylor[12]
	for i := 11; i > 1; i -= 2 { // two chains, each half as long as one
		odd = math.FMA(odd, square, taylor[i])
		even = math.FMA(even, square, taylor[i-1])
	}
	e := math.FMA(math.FMA(odd, r, even), square, r) + 1
	return math.Float64frombits(math.Float64bits(e) + math.Float64bits(n)<<52)
}

// Coefficients and method of FreeBSD's e_log.c, with fused products.
var logs = [...]float64{
	6.666666666666735130e-01, 3.999999999940941908e-01, 2.857142874366239149e-01, 2.222219843214978396e-01,
	1.818357216161805012e-01, 1.531383769920937332e-01, 1.479819860511658591e-01,
}

// log returns the logarithm of x, which is at least 1, to about 1 ulp. The result is −Inf for
// 0, and NaN for NaN.
func log(x float64) float64 {
	if !(x > 0) {
		return x + math.Inf(-1)
	}
	bits := math.Float64bits(x)
	e := (bits - 0x3fe6a09e667f3bcd) >> 52 // x is from √½ to √2 times 2^e
	f := math.Float64frombits(bits-e<<52) - 1
	n := float64(e)
	q := f / (f + 2)
	z := q * q
	r := logs[6]
	for i := 5; i >= 0; i-- {
		r = math.FMA(r, z, logs[i])
	}
	r = float64(r * z)
	h := float64(float64(f*0.5) * f)
	t := math.FMA(q, h+r, float64(n*ln2Low))
	return math.FMA(n, ln2High, -((h - t) - f))
}
