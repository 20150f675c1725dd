package vae

import (
	"math"
	"math/rand/v2"
	"testing"
)

// reference computes the outputs of a network for a batch in float64, from the definition.
func reference(n *Network, shared, private, x []float64) []float64 {
	rows := len(x) / n.Inputs()
	for _, l := range n.layers {
		w, b := shared[n.first+l.weight:], shared[n.first+l.bias:]
		y := make([]float64, rows*l.Units)
		for r := range rows {
			a := make([]float64, l.sums)
			for j := range a {
				a[j] = b[j]
				if l.Activation == Gated {
					a[j] += private[n.firstOwn+l.condition+j]
				}
				for i := range l.in {
					a[j] += x[r*l.in+i] * w[i*l.sums+j]
				}
			}
			for j := range l.Units {
				v := activated(l.Activation, a, j, l.Units)
				if l.dropping {
					v *= float64(l.mask[r*l.Units+j])
				}
				y[r*l.Units+j] = v
			}
		}
		x = y
	}
	return x
}

func activated(f Activation, a []float64, j, units int) float64 {
	sigmoid := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	switch f {
	case ReLU:
		return max(a[j], 0)
	case Tanh:
		return math.Tanh(a[j])
	case Sigmoid:
		return sigmoid(a[j])
	case Softplus:
		return softplus64(a[j])
	case Gated:
		return math.Tanh(a[j]) * sigmoid(a[units+j])
	}
	return a[j]
}

func softplus64(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

func doubles(x []float32) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}

func normals(rng *rand.Rand, n int, by float64) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(by * rng.NormFloat64())
	}
	return x
}

// checkGradient compares derivatives with central differences of f, which is computed in
// float64, so their error is far below that of float32.
func checkGradient(t *testing.T, what string, got []float32, x []float64, f func() float64) {
	t.Helper()
	for i := range x {
		const h = 1e-5
		old := x[i]
		x[i] = old + h
		up := f()
		x[i] = old - h
		want := (up - f()) / (2 * h)
		x[i] = old
		if !near(float64(got[i]), want, 1e-4) {
			t.Fatalf("%s: derivative %d is %g, want %g", what, i, got[i], want)
		}
	}
}

func near(got, want, tolerance float64) bool {
	return math.Abs(got-want) <= tolerance*(1+math.Abs(want))
}
