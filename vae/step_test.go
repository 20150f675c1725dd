//go:build !race

package vae

import (
	"math/rand/v2"
	"runtime"
	"testing"
)

// A step of each kind of model allocates nothing. Under the race detector, the pool of the
// products drops entries at random.
func TestNoAllocation(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const rows, dim = 7, 3
	src := rand.NewPCG(1, 2)
	encoder := New("encoder", 60, Layer{Units: 50, Activation: Gated, Dropout: 0.5}, Layer{Units: 2 * dim})
	decoder := New("decoder", dim, Layer{Units: 50, Activation: ReLU}, Layer{Units: 120})
	classes := New("classes", dim, Layer{Units: 4})
	all := Join(encoder, decoder, classes)
	for _, n := range []*Network{encoder, decoder, classes} {
		n.Initialise(src)
	}
	latent, out := NewGaussian(dim, ExpScale), NewGaussian(60, SoftplusScale)
	adam, sgd := NewAdam(len(all.Values), 1e-3), NewSGD(len(all.Values), 1e-3, 0.9)
	batches := NewBatches(2*rows, rows, src)
	data, labels := make([]float32, 2*rows*60), make([]int, rows)
	Normals(data, src)
	var x, z, noise, d, e, f []float32
	z, noise = make([]float32, rows*dim), make([]float32, rows*dim)
	d, e, f = make([]float32, rows*120), make([]float32, rows*2*dim), make([]float32, rows*4)
	densities := make([]float64, rows)
	check := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	step := func() {
		rows, _ := batches.Next()
		x = Gather(x, data, 60, rows)
		h, err := encoder.Forward(x, src)
		check(err)
		latent.Set(h)
		Normals(noise, src)
		latent.Sample(z, noise)
		y, err := decoder.Forward(z, nil)
		check(err)
		out.Set(y)
		_, err = out.NegLogLikelihood(d, x, nil)
		check(err)
		logits, err := classes.Forward(z, nil)
		check(err)
		_, err = SoftmaxCrossEntropy(f, logits, labels, 4)
		check(err)
		classes.Backward(f, ForParameters)
		latent.KL()
		latent.BackSample(e, decoder.Backward(d, ForParameters|ForInput), noise)
		latent.BackKL(e, []float32{1, 1, 1})
		encoder.Backward(e, ForParameters)
		out.LogDensity(densities, x)
		StandardLogDensity(densities, z, dim)
		adam.Step(all.Values, all.Gradient)
		sgd.Step(all.Values, all.Gradient)
	}
	step()
	if n := testing.AllocsPerRun(20, step); n > 0 {
		t.Errorf("%g allocations a step, want none", n)
	}
}
