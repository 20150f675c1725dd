package mixture

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// bigExp returns e^v to many more digits than a float64 has: it halves v and squares the
// result.
func bigExp(v float64) *big.Float {
	x := new(big.Float).SetPrec(200).SetFloat64(v)
	x.SetMantExp(x, -12)
	sum, term := big.NewFloat(1).SetPrec(200), big.NewFloat(1).SetPrec(200)
	for n := 1; n < 30; n++ {
		term.Mul(term, x)
		term.Quo(term, big.NewFloat(float64(n)))
		sum.Add(sum, term)
	}
	for range 12 {
		sum.Mul(sum, sum)
	}
	return sum
}

// ulps returns the distance of got from want, in units of the last place of want.
func ulps(got float64, want *big.Float) float64 {
	nearest, _ := want.Float64()
	d := new(big.Float).SetPrec(200).SetFloat64(got)
	d.Sub(d, want)
	d.Quo(d, big.NewFloat(math.Nextafter(nearest, math.Inf(1))-nearest))
	off, _ := d.Float64()
	return math.Abs(off)
}

func TestExp(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	worst := 0.0
	for i := range 20000 {
		v := -rng.Float64() * math.Pow(10, float64(i%14)-11)
		if v > negligible {
			worst = max(worst, ulps(exp(v), bigExp(v)))
		}
	}
	if worst > 1 {
		t.Errorf("%.2f units off in the last place, want at most 1", worst)
	}
	for v, want := range map[float64]float64{0: 1, math.Copysign(0, -1): 1, negligible: 0, -1e300: 0, math.Inf(-1): 0} {
		if got := exp(v); got != want {
			t.Errorf("exp(%v) is %v, want %v", v, got, want)
		}
	}
	if got := exp(math.Nextafter(negligible, 0)); !(got > 2e-261) {
		t.Errorf("exp just above %v is %v", negligible, got)
	}
	if got := exp(math.NaN()); !math.IsNaN(got) {
		t.Errorf("exp(NaN) is %v", got)
	}
}

// The logarithm is right if e to its power is the argument.
func TestLog(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	worst := 0.0
	for i := range 20000 {
		x := 1 + rng.Float64()*math.Pow(10, float64(i%14)-8)
		got := log(x)
		r := new(big.Float).SetPrec(200).SetFloat64(x)
		r.Quo(r, bigExp(got))
		r.Sub(r, big.NewFloat(1)) // error, to first order
		off, _ := r.Float64()
		worst = max(worst, math.Abs(off)/(math.Nextafter(got, 100)-got))
	}
	if worst > 1 {
		t.Errorf("%.2f units off in the last place, want at most 1", worst)
	}
	for x, want := range map[float64]float64{1: 0, 0: math.Inf(-1)} {
		if got := log(x); got != want {
			t.Errorf("log(%v) is %v, want %v", x, got, want)
		}
	}
	if got := log(math.NaN()); !math.IsNaN(got) {
		t.Errorf("log(NaN) is %v", got)
	}
}
