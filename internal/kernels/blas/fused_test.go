package blas

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/collabdict/collabdict/internal/testkit"
)

// exactly returns the exact result, rounded once.
func exactly(x, y, z float32) float32 {
	f := func(v float32) *big.Float { return new(big.Float).SetPrec(1000).SetFloat64(float64(v)) }
	product := f(x).Mul(f(x), f(y))
	sum, _ := product.Add(product, f(z)).Float32()
	return sum
}

func TestFusedSingle(t *testing.T) {
	testkit.SkipRaced(t)
	check := func(x, y, z float32) {
		t.Helper()
		if got, want := fused(x, y, z), exactly(x, y, z); got != want {
			t.Errorf("fused(%x, %x, %x) = %x, want %x", x, y, z, got, want)
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	// Numbers with few bits that are far apart often end halfway; small ones are subnormal.
	draw := func() float32 {
		x := float32(rng.IntN(1<<12)-1<<11) * float32(math.Exp2(float64(rng.IntN(40)-20)))
		switch rng.IntN(8) {
		case 0:
			x *= 0x1p-120
		case 1:
			x = math.Float32frombits(rng.Uint32()&^(0xff<<23) | uint32(rng.IntN(255))<<23)
		}
		return x
	}
	for range 200_000 {
		check(draw(), draw(), draw())
	}
	// These results are halfway but for a term 2^-60 smaller, with each sign of each part.
	for _, tiny := range []float32{0, 0x1p-60, -0x1p-60} {
		for _, s := range []float32{1, -1} {
			check(tiny, 1, s*(1+0x1p-23))
			check(1+0x1p-12, s*(1+0x1p-12), tiny)
			check(0x1p-24+0x1p-40, 0x1p-24+0x1p-40, s)
			check(0x1p-12+tiny, s*0x1p-12, 1)
			check(0x1p-75, s*0x1p-75, tiny*0x1p-80)
			check(0x1p-149, s*0.5, tiny*0x1p-80)
			check(math.MaxFloat32, 1+0x1p-23, -s*math.MaxFloat32)
			check(0x1p64, 0x1p63, s*0x1p103)
		}
	}
}

func TestFusedSingleOfValuesThatAreNotFinite(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for _, test := range [][4]float32{
		{inf, 1, 1, inf},
		{inf, 0, 1, nan},
		{1, inf, -inf, nan},
		{1, 1, -inf, -inf},
		{nan, 1, 1, nan},
		{0, 1, nan, nan},
		{math.MaxFloat32, 2, 0, inf},
		{math.MaxFloat32, -2, 0, -inf},
		{0, 1, 0, 0},
	} {
		sameBits(t, "fused", []float32{fused(test[0], test[1], test[2])}, test[3:])
	}
	negative := float32(math.Copysign(0, -1))
	sameBits(t, "zeros", []float32{fused(negative, 1, negative), fused(negative, 1, 0)}, []float32{negative, 0})
}
