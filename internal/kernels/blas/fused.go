package blas

import (
	"math"

	"github.com/collabdict/collabdict/internal/kernels/cpu"
)

var portableSingle = kernel[float32]{cpu.Portable, widthLimit, addPortable(addOneSingle, addEightSingle), turn[float32], nil, nil, false}

func addOneSingle(k int, alpha float32, a []float32, aks int, b []float32, bks int, c *float32) {
	s := float32(0)
	for p := range k {
		s = fused(a[p*aks], b[p*bks], s)
	}
	*c = fused(alpha, s, *c)
}

func addEightSingle(k int, alpha float32, a []float32, ars, aks int, b []float32, bks int, c []float32, cs int) {
	var s, t [4]float64 // numbers of float32
	for p := range k {
		x, y := float64(a[p*aks]), float64(a[ars+p*aks])
		z := b[p*bks:][:4]
		for j := range s {
			w := float64(z[j])
			u, v := x*w+s[j], y*w+t[j]
			if !isPlain(u) {
				u = oddSum(x*w, s[j])
			}
			if !isPlain(v) {
				v = oddSum(y*w, t[j])
			}
			s[j], t[j] = float64(float32(u)), float64(float32(v))
		}
	}
	for j := range s {
		c[j], c[cs+j] = fused(alpha, float32(s[j]), c[j]), fused(alpha, float32(t[j]), c[cs+j])
	}
}

// fused is [math.FMA] for float32. The product is exact in float64. The sum is rounded twice,
// to float64 and then to float32, which is wrong only if the first rounding ends halfway
// between two float32 numbers.
func fused(x, y, z float32) float32 {
	p := float64(x) * float64(y)
	s := p + float64(z)
	if !isPlain(s) {
		s = oddSum(p, float64(z))
	}
	return float32(s)
}

// isPlain reports whether s is not halfway between two float32 numbers, and is large enough
// that these are not subnormal.
func isPlain(s float64) bool {
	b := math.Float64bits(s)
	return b&(1<<29-1) != 1<<28 && b<<1 >= 0x381<<53
}

// oddSum returns x + y rounded to odd: the last bit remembers that digits were cut off.
// Rounding the result again, for example to float32 and its subnormal numbers, then equals a
// single rounding (Boldo and Melquiond, Emulation of FMA and correctly rounded sums, 2008). The
// sum must not overflow.
func oddSum(x, y float64) float64 {
	s := x + y
	v := s - x
	rest := (x - (s - v)) + (y - v) // exact, by Knuth
	b := math.Float64bits(s)
	switch {
	case b&1 == 1 || !(rest > 0 || rest < 0): // exact, or not finite
	case (rest > 0) == (s > 0):
		b++
	default:
		b--
	}
	return math.Float64frombits(b)
}
