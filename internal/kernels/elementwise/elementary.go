package elementwise

import "math"

const (
	// lowest is the lowest argument of [Exp]. Below it the result is 0, so that no power is a
	// denormal number.
	lowest = -87
	// highest is the argument at which Exp is capped, so that no power is infinite.
	highest = 88

	log2E   = 1.44269504088896341
	ln2High = 0.693359375 // its low bits are 0, so that its multiples are exact
	ln2Low  = -2.12194440e-4
	magic   = 0x1.8p23 // a number of this size has its units in the lowest bits
)

// powers are the coefficients of Cephes' expf for (e^r−1−r)/r², highest first, with |r| ≤ ½ ln
// 2.
var powers = [...]float32{
	1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1,
}

// exp returns e to the power of x, to about 1 ulp from lowest to highest.
func exp(x float32) float32 {
	if !(x >= lowest) {
		if x != x {
			return x
		}
		return 0
	}
	v := min(x, highest)
	n := float32(v*log2E) + magic // the low bits hold n
	whole := n - magic
	r := v - float32(whole*ln2High)
	r -= float32(whole * ln2Low)
	p := powers[0]
	for _, c := range powers[1:] {
		p = float32(p*r) + c
	}
	p = float32(float32(p*r)*r) + r
	p++
	return math.Float32frombits(math.Float32bits(p) + math.Float32bits(n)<<23)
}

// odds are 2/(2k+1), highest first: 2 artanh s = 2s + s³ Σ odds s^2k.
var odds = [...]float32{2. / 17, 2. / 15, 2. / 13, 2. / 11, 2. / 9, 2. / 7, 2. / 5, 2. / 3}

// logRatio returns ln((1+s)/(1−s)) for |s| ≤ 1/3.
func logRatio(s float32) float32 {
	z := s * s
	p := odds[0]
	for _, c := range odds[1:] {
		p = float32(p*z) + c
	}
	return float32(float32(p*z)*s) + (s + s)
}

// rootHalf is the bit pattern of √½.
const rootHalf = 0x3f3504f3

// log returns the logarithm of x, to about 2 ulp, or NaN unless x is a normal number above 0 or
// infinite.
func log(x float32) float32 {
	if !(x >= 0x1p-126) {
		return float32(math.NaN())
	}
	if x > math.MaxFloat32 {
		return x
	}
	e := int32(math.Float32bits(x)-rootHalf) >> 23
	f := math.Float32frombits(math.Float32bits(x) - uint32(e)<<23) // from √½ to √2
	n := float32(e)
	return float32(n*ln2High) + (logRatio((f-1)/(f+1)) + float32(n*ln2Low))
}

// hyperbolic are the coefficients of Cephes' tanhf for (tanh x − x)/x³, highest first, with |x|
// < small.
var hyperbolic = [...]float32{-5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2, 1.33314422036e-1, -3.33332819422e-1}

const small = 0.625

// tanh returns the hyperbolic tangent of x, to about 2 ulp.
func tanh(x float32) float32 {
	v := abs(x)
	if v < small {
		z := x * x
		p := hyperbolic[0]
		for _, c := range hyperbolic[1:] {
			p = float32(p*z) + c
		}
		return float32(float32(p*z)*x) + x
	}
	e := exp(-2 * v)
	y := (1 - e) / (1 + e)
	return math.Float32frombits(math.Float32bits(y) | math.Float32bits(x)&signBit)
}

// sigmoid returns 1/(1+e^−x), to about 2 ulp.
func sigmoid(x float32) float32 {
	e := exp(-abs(x))
	by := 1 + e
	if x < 0 {
		return e / by
	}
	return 1 / by
}

// softplus returns ln(1+e^x) as ln(1+e^−|x|) + max(x, 0), to about 2 ulp.
func softplus(x float32) float32 {
	e := exp(-abs(x))
	return logRatio(e/(e+2)) + positive(x)
}

// positive returns max(x, 0), or NaN for NaN.
func positive(x float32) float32 {
	if 0 > x {
		return 0
	}
	return x
}

const signBit = 1 << 31

func abs(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ signBit) }

const (
	// negligible is the size below which a derivative is taken as 0. Above it, a thousandth of
	// its square is still a normal number.
	negligible = 0x1p-58
	// vanished is the size below which a moment is taken as 0. Moments are multiplied by rates,
	// and Adam's ε is large next to vanished.
	vanished = 0x1p-100
)

// kept returns x, or 0 if it is smaller than limit.
func kept(x, limit float32) float32 {
	if abs(x) < limit {
		return 0
	}
	return x
}
