package vae

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Steps follow Algorithm 1 of Kingma and Ba 2015, over more weights than fit in a piece.
func TestAdam(t *testing.T) {
	const n, steps, rate = stepPiece + 37, 5, 0.01
	rng := rand.New(rand.NewPCG(1, 2))
	w := normals(rng, n, 1)
	want := doubles(w)
	m, v := make([]float64, n), make([]float64, n)
	adam := NewAdam(n, rate)
	for step := 1; step <= steps; step++ {
		g := normals(rng, n, 1e-3)
		adam.Step(w, g)
		for i, x := range doubles(g) {
			m[i] = 0.9*m[i] + 0.1*x
			v[i] = 0.999*v[i] + 0.001*x*x
			want[i] -= rate * m[i] / (1 - math.Pow(0.9, float64(step))) / (math.Sqrt(v[i]/(1-math.Pow(0.999, float64(step)))) + 1e-8)
		}
	}
	for i, x := range w {
		if math.Abs(float64(x)-want[i]) > 1e-6 {
			t.Fatalf("weight %d is %g, want %g", i, x, want[i])
		}
	}
}

// After Set, an optimiser continues as the other does, independently of it.
func TestAdamIsSet(t *testing.T) {
	a, b := NewAdam(1, 0.1), NewAdam(1, 0.2)
	wa, wb := []float32{0}, []float32{0}
	a.Step(wa, []float32{1})
	b.Set(a)
	copy(wb, wa)
	a.Step(wa, []float32{-3})
	b.Step(wb, []float32{-3})
	a.Step(wa, []float32{2})
	b.Step(wb, []float32{2})
	if wa[0] != wb[0] || wa[0] == 0 {
		t.Errorf("weights %g and %g after the same steps", wa[0], wb[0])
	}
}

func TestSGD(t *testing.T) {
	w, s := []float32{1, 2}, NewSGD(2, 0.5, 0.5)
	s.Step(w, []float32{1, 0})
	s.Step(w, []float32{1, 0})
	if want := []float32{1 - 0.5 - 0.75, 2}; !slices.Equal(w, want) {
		t.Errorf("weights are %v, want %v", w, want)
	}
	s.Reset()
	s.Step(w, []float32{0, 0})
	if want := []float32{-0.25, 2}; !slices.Equal(w, want) {
		t.Errorf("weights are %v after Reset, want %v", w, want)
	}
}

// Moments of weights that no longer get a gradient end at 0, without denormal numbers on the
// way.
func TestMomentsVanish(t *testing.T) {
	w, adam, sgd := make([]float32, 1), NewAdam(1, 1e-3), NewSGD(1, 1e-3, 0.9)
	adam.Step(w, []float32{1e-10})
	sgd.Step(w, []float32{1e-10})
	for range 100_000 {
		adam.Step(w, []float32{0})
		sgd.Step(w, []float32{0})
		for _, x := range []float32{adam.m[0], adam.v[0], sgd.v[0]} {
			if x != 0 && x < 0x1p-100 {
				t.Fatalf("moment is %g", x)
			}
		}
	}
	if adam.m[0] != 0 || adam.v[0] != 0 || sgd.v[0] != 0 {
		t.Errorf("moments are %g, %g and %g, want 0", adam.m[0], adam.v[0], sgd.v[0])
	}
}

// Networks learn functions that need a hidden layer.
func TestLearning(t *testing.T) {
	x := []float32{0, 0, 0, 1, 1, 0, 1, 1}
	labels := []int{0, 1, 1, 0}
	for _, f := range []Activation{ReLU, Tanh, Gated, Softplus, Sigmoid} {
		n := New("xor", 2, Layer{Units: 8, Activation: f}, Layer{Units: 2})
		n.Initialise(rand.NewPCG(3, 4))
		adam, d, loss := NewAdam(len(n.Shared.Values), 0.05), make([]float32, 8), 0.0
		for range 400 {
			y, err := n.Forward(x, nil)
			if err != nil {
				t.Fatal(err)
			}
			if loss, err = SoftmaxCrossEntropy(d, y, labels, 2); err != nil {
				t.Fatal(err)
			}
			n.Backward(d, ForParameters)
			adam.Step(n.Shared.Values, n.Shared.Gradient)
		}
		if loss > 0.05 {
			t.Errorf("activation %d: loss %g after 400 steps, want below 0.05", f, loss)
		}
	}
}
