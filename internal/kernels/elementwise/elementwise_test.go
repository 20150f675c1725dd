package elementwise

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// calls holds all kernels, each as a function of up to five slices that it may change. It
// returns the kernel's sum.
var calls = []struct {
	name string
	do   func(k *kernels, x [][]float32, sum *float32)
}{
	{"add", func(k *kernels, x [][]float32, _ *float32) { k.add(x[0], x[1]) }},
	{"relu", func(k *kernels, x [][]float32, _ *float32) { k.relu(x[0], x[1]) }},
	{"tanh", func(k *kernels, x [][]float32, _ *float32) { k.tanh(x[0], x[1]) }},
	{"sigmoid", func(k *kernels, x [][]float32, _ *float32) { k.sigmoid(x[0], x[1]) }},
	{"softplus", func(k *kernels, x [][]float32, _ *float32) { k.softplus(x[0], x[1]) }},
	{"reluBack", func(k *kernels, x [][]float32, _ *float32) { k.reluBack(x[0], x[1]) }},
	{"tanhBack", func(k *kernels, x [][]float32, _ *float32) { k.tanhBack(x[0], x[1]) }},
	{"sigmoidBack", func(k *kernels, x [][]float32, _ *float32) { k.sigmoidBack(x[0], x[1]) }},
	{"softplusBack", func(k *kernels, x [][]float32, _ *float32) { k.softplusBack(x[0], x[1]) }},
	{"exp", func(k *kernels, x [][]float32, _ *float32) { k.exp(x[0], x[1]) }},
	{"log", func(k *kernels, x [][]float32, _ *float32) { k.log(x[0], x[1]) }},
	{"multiply", func(k *kernels, x [][]float32, _ *float32) { k.multiply(x[0], x[1], x[2]) }},
	{"gateBack", func(k *kernels, x [][]float32, _ *float32) { k.gateBack(x[0], x[1], x[2]) }},
	{"clamp", func(k *kernels, x [][]float32, _ *float32) { k.clamp(x[0], x[1], -0.5, 0.75) }},
	{"clampBack", func(k *kernels, x [][]float32, _ *float32) { k.clampBack(x[0], x[1], -0.5, 0.75) }},
	{"scaleBack", func(k *kernels, x [][]float32, _ *float32) { k.scaleBack(x[0], x[1], 1e-3) }},
	{"gaussian", func(k *kernels, x [][]float32, s *float32) { *s = k.gaussian(x[0], x[1], x[2], x[3]) }},
	{"gaussianBack", func(k *kernels, x [][]float32, _ *float32) { k.gaussianBack(x[0], x[1], x[2], x[3], x[4], 0.7) }},
	{"difference", func(k *kernels, x [][]float32, s *float32) { *s = k.difference(x[0], x[1], x[2]) }},
	{"check", func(k *kernels, x [][]float32, s *float32) { *s = k.check(x[0]) }},
	{"adam", func(k *kernels, x [][]float32, _ *float32) {
		k.adam(x[0], x[1], x[2], x[3], Adam{0.9, 0.1, 0.999, 0.001, 1e-3, 1e-8})
	}},
	{"momentum", func(k *kernels, x [][]float32, _ *float32) { k.momentum(x[0], x[1], x[2], 0.01, 0.9) }},
}

var special = []float32{
	0, float32(math.Copysign(0, -1)), 1, -1, 0.625, -0.625, 87, -87, 87.5, -87.5, 88, 88.5, -88, 104, -104, 1e-30, -1e-30, 0x1p-126, 0x1p-140,
	-0x1p-140, 0x1p-58, 0x1p-59, 0x1p-100, 0x1p-101, math.MaxFloat32, -math.MaxFloat32, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()),
}

func values(rng *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		switch rng.IntN(8) {
		case 0:
			x[i] = special[rng.IntN(len(special))]
		case 1:
			x[i] = math.Float32frombits(rng.Uint32())
		case 2:
			x[i] = float32(100 * rng.NormFloat64())
		default:
			x[i] = float32(rng.NormFloat64())
		}
	}
	return x
}

func copies(x [][]float32) [][]float32 {
	y := make([][]float32, len(x))
	for i := range x {
		y[i] = append([]float32(nil), x[i]...)
	}
	return y
}

func sameBits(a, b float32) bool {
	return math.Float32bits(a) == math.Float32bits(b) || a != a && b != b
}

func compare(t *testing.T, what string, got, want []float32) {
	t.Helper()
	for i := range want {
		if !sameBits(got[i], want[i]) {
			t.Fatalf("%s: element %d is %g (%#x), want %g (%#x)", what, i, got[i], math.Float32bits(got[i]), want[i], math.Float32bits(want[i]))
		}
	}
}

// Every kernel of the machine has the bits of plain Go, for every length and place of an
// element.
func TestKernelsHaveTheSameBits(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, c := range calls {
		for n := 1; n < 70; n++ {
			x := make([][]float32, 5)
			for i := range x {
				x[i] = values(rng, n)
			}
			checkCall(t, fmt.Sprintf("%s of %d", c.name, n), c.do, x)
		}
		for range 200 {
			x := make([][]float32, 5)
			for i := range x {
				x[i] = values(rng, 64)
			}
			checkCall(t, c.name, c.do, x)
		}
	}
}

func checkCall(t *testing.T, what string, do func(k *kernels, x [][]float32, sum *float32), x [][]float32) {
	t.Helper()
	want := copies(x)
	var wantSum float32
	do(portable, want, &wantSum)
	for _, k := range all() {
		got := copies(x)
		var sum float32
		do(k, got, &sum)
		for i := range got {
			compare(t, fmt.Sprintf("%s, slice %d, %s", what, i, k.path), got[i], want[i])
		}
		compare(t, what+", sum, "+string(k.path), []float32{sum}, []float32{wantSum})
	}
}

// Functions are as close to those of package math as documented.
func TestAccuracy(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, c := range []struct {
		name  string
		got   func(float32) float32
		want  func(float64) float64
		width float64
		ulp   float64
	}{
		{"exp", exp, math.Exp, 86, 1.6},
		{"log", func(x float32) float32 { return log(abs(x) + 1e-3) }, func(x float64) float64 { return math.Log(float64(float32(math.Abs(x)) + 1e-3)) }, 1e3, 2},
		{"tanh", tanh, math.Tanh, 4, 2.5},
		{"sigmoid", sigmoid, func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }, 80, 2.5},
		{"softplus", softplus, func(x float64) float64 { return math.Max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }, 80, 2.5},
	} {
		worst, at := 0.0, float32(0)
		for range 400_000 {
			x := float32((2*rng.Float64() - 1) * c.width * math.Pow(rng.Float64(), 3))
			want := c.want(float64(x))
			w := float32(want)
			ulp := float64(math.Nextafter32(abs(w), float32(math.Inf(1))) - abs(w))
			if e := math.Abs(float64(c.got(x))-want) / ulp; e > worst {
				worst, at = e, x
			}
		}
		if worst > c.ulp {
			t.Errorf("%s(%g) is off by %.2f ulp, want at most %.1f", c.name, at, worst, c.ulp)
		}
		t.Logf("%s: at most %.2f ulp", c.name, worst)
	}
}

func TestEnds(t *testing.T) {
	inf := float32(math.Inf(1))
	for _, c := range []struct {
		name    string
		f       func(float32) float32
		x, want float32
	}{
		{"exp", exp, -87.01, 0},
		{"exp", exp, -inf, 0},
		{"exp", exp, inf, exp(88)},
		{"log", log, inf, inf},
		{"log", log, 1, 0},
		{"tanh", tanh, inf, 1},
		{"tanh", tanh, -inf, -1},
		{"sigmoid", sigmoid, -inf, 0},
		{"sigmoid", sigmoid, inf, 1},
		{"softplus", softplus, inf, inf},
		{"softplus", softplus, -inf, 0},
	} {
		if got := c.f(c.x); got != c.want {
			t.Errorf("%s(%g) is %g, want %g", c.name, c.x, got, c.want)
		}
	}
	for _, x := range []float32{0, -1, 0x1p-140, float32(math.NaN())} {
		if got := log(x); got == got {
			t.Errorf("log(%g) is %g, want NaN", x, got)
		}
	}
	for name, f := range map[string]func(float32) float32{"exp": exp, "tanh": tanh, "sigmoid": sigmoid, "softplus": softplus} {
		if got := f(math.Float32frombits(0x7f800001)); got == got {
			t.Errorf("%s(NaN) is %g", name, got)
		}
	}
}

func TestIsFinite(t *testing.T) {
	for n := range 40 {
		x := make([]float32, n)
		if !IsFinite(x) {
			t.Fatalf("%d zeros are not finite", n)
		}
		for i := range x {
			for _, v := range []float32{float32(math.Inf(-1)), float32(math.NaN())} {
				x[i] = v
				if IsFinite(x) {
					t.Fatalf("%g at %d of %d is finite", v, i, n)
				}
			}
			x[i] = math.MaxFloat32
		}
	}
}
