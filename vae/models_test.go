package vae

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Gradients of participants over their own rows add up to that over all rows, so sums can train
// a shared decoder.
func TestGradientsAddUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	n := New("decoder", 3, Layer{Units: 20, Activation: Tanh}, Layer{Units: 5})
	n.Initialise(rng)
	x, c := normals(rng, 30, 1), normals(rng, 50, 1)
	gradient := func(lo, hi int) []float32 {
		if _, err := n.Forward(x[3*lo:3*hi], nil); err != nil {
			t.Fatal(err)
		}
		n.Backward(slices.Clone(c[5*lo:5*hi]), ForParameters)
		return slices.Clone(n.Shared.Gradient)
	}
	all, first, rest := gradient(0, 10), gradient(0, 4), gradient(4, 10)
	for i, want := range all {
		if !near(float64(first[i])+float64(rest[i]), float64(want), 1e-5) {
			t.Fatalf("derivative %d: %g and %g, want %g together", i, first[i], rest[i], want)
		}
	}
}

// If q is the posterior distribution, each importance weight is the density of the row: x = az
// + b + σε with z and ε normal.
func TestImportanceWeights(t *testing.T) {
	const a, b, logSigma, samples = 1.5, -0.25, -0.5, 7
	variance := math.Exp(2 * logSigma)
	encoder, decoder := New("encoder", 1, Layer{Units: 2}), New("decoder", 1, Layer{Units: 2})
	gain := a / (a*a + variance)
	copy(encoder.Shared.Values, []float32{float32(gain), 0, float32(-gain * b), float32(0.5 * math.Log(variance/(a*a+variance)))})
	copy(decoder.Shared.Values, []float32{a, 0, b, logSigma})

	x := []float32{0.3, -2, 1}
	q, p := NewGaussian(1, ExpScale), NewGaussian(1, ExpScale)
	z, noise := make([]float32, samples*len(x)), make([]float32, samples*len(x))
	Normals(noise, rand.NewPCG(3, 4))
	h, err := encoder.Forward(x, nil)
	if err != nil {
		t.Fatal(err)
	}
	q.Set(h)
	q.Sample(z, noise)
	y, err := decoder.Forward(z, nil)
	if err != nil {
		t.Fatal(err)
	}
	p.Set(y)
	var of [3][]float64
	for i := range of {
		of[i] = make([]float64, len(z))
	}
	p.LogDensity(of[0], x)
	StandardLogDensity(of[1], z, 1)
	q.LogDensity(of[2], z)
	for i, v := range x {
		weights := make([]float64, samples)
		for j := range weights {
			at := i*samples + j
			weights[j] = of[0][at] + of[1][at] - of[2][at]
		}
		e := float64(v) - b
		want := -0.5*math.Log(2*math.Pi*(a*a+variance)) - e*e/(2*(a*a+variance))
		if got := LogMeanExp(weights); !near(got, want, 1e-5) {
			t.Errorf("ln p(%g) is %g, want %g", v, got, want)
		}
	}
}

// Training has the same bits on every machine, with every kernel and compiler: any other
// definition would change the digest.
func TestTrainingIsDefinedToTheLastBit(t *testing.T) {
	src := rand.NewPCG(5, 6)
	encoder := New("encoder", 30, Layer{Units: 60, Activation: Gated, Dropout: 0.25}, Layer{Units: 33, Activation: Softplus}, Layer{Units: 8})
	decoder := New("decoder", 4, Layer{Units: 40, Activation: Tanh}, Layer{Units: 50, Activation: ReLU}, Layer{Units: 60})
	squash := New("squash", 4, Layer{Units: 30, Activation: Sigmoid})
	classes := New("classes", 4, Layer{Units: 5})
	all := Join(encoder, decoder, squash, classes)
	for _, n := range []*Network{encoder, decoder, squash, classes} {
		n.Initialise(src)
	}
	const rows = 37
	q, p := NewGaussian(4, ExpScale), NewGaussian(30, SoftplusScale)
	adam, sgd := NewAdam(len(all.Values), 1e-2), NewSGD(len(encoder.Private.Values), 1e-3, 0.9)
	x, z, noise, labels := make([]float32, rows*30), make([]float32, rows*4), make([]float32, rows*4), make([]int, rows)
	Normals(x, src)
	for i := range labels {
		labels[i] = i % 5
	}
	by := make([]float32, rows*60)
	total := 0.0
	add := func(loss float64, err error) {
		if err != nil {
			t.Fatal(err)
		}
		total += loss
	}
	forward := func(n *Network, x []float32) []float32 {
		y, err := n.Forward(x, src)
		add(0, err)
		return y
	}
	for range 4 {
		q.Set(forward(encoder, x))
		Normals(noise, src)
		q.Sample(z, noise)
		p.Set(forward(decoder, z))
		add(p.NegLogLikelihood(by, x, nil))
		dz := slices.Clone(decoder.Backward(by, ForParameters|ForInput))
		add(SquaredError(by[:rows*30], forward(squash, z), x, 30))
		squash.Backward(by[:rows*30], ForParameters)
		add(SoftmaxCrossEntropy(by[:rows*5], forward(classes, z), labels, 5))
		classes.Backward(by[:rows*5], ForParameters)
		for _, kl := range q.KL() {
			add(kl, nil)
		}
		d := make([]float32, rows*8)
		q.BackSample(d, dz, noise)
		q.BackKL(d, []float32{1, 2, 0.5, 1})
		encoder.Backward(d, ForParameters)
		adam.Step(all.Values, all.Gradient)
		sgd.Step(encoder.Private.Values, encoder.Private.Gradient)
	}
	digest := sha256.New()
	for _, x := range [][]float32{all.Values, encoder.Private.Values} {
		if err := binary.Write(digest, binary.LittleEndian, x); err != nil {
			t.Fatal(err)
		}
	}
	if err := binary.Write(digest, binary.LittleEndian, total); err != nil {
		t.Fatal(err)
	}
	const want = "d8c903edd74e0fc8"
	if got := hex.EncodeToString(digest.Sum(nil)[:8]); got != want {
		t.Errorf("digest is %s, want %s", got, want)
	}
}
