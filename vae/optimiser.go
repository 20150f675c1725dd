package vae

import (
	"fmt"
	"math"

	"github.com/collabdict/collabdict/internal/kernels/elementwise"
	"github.com/collabdict/collabdict/internal/numeric/parallel"
)

// stepPiece is the number of weights that an optimiser changes at a time.
const stepPiece = 1 << 16

// Adam is the optimiser of Kingma and Ba 2015 for one vector of weights, with decays 0.9 and
// 0.999 and ε = 10⁻⁸. Gradients below 2^−58 in size count as 0.
type Adam struct {
	Rate float32 // learning rate; may be changed between steps

	m, v         []float32
	left1, left2 float64 // 0.9^t and 0.999^t
	step         elementwise.Adam
	w, g         []float32
	piece        func(i int)
}

// NewAdam returns Adam for a vector of weights, before its first step.
func NewAdam(weights int, rate float32) *Adam {
	a := &Adam{Rate: rate, m: make([]float32, weights), v: make([]float32, weights), left1: 1, left2: 1}
	a.piece = func(i int) {
		lo, hi := i*stepPiece, min((i+1)*stepPiece, len(a.m))
		a.step.Step(a.w[lo:hi], a.g[lo:hi], a.m[lo:hi], a.v[lo:hi])
	}
	return a
}

// Reset clears the moments, as before the first step.
func (a *Adam) Reset() {
	clear(a.m)
	clear(a.v)
	a.left1, a.left2 = 1, 1
}

// Set copies the rate and the moments of b, which must have the same number of weights.
func (a *Adam) Set(b *Adam) {
	sameLength(len(a.m), b.m, b.v)
	copy(a.m, b.m)
	copy(a.v, b.v)
	a.Rate, a.left1, a.left2 = b.Rate, b.left1, b.left2
}

// Step changes weights against their gradient.
func (a *Adam) Step(weights, gradient []float32) {
	sameLength(len(a.m), weights, gradient)
	const decay1, decay2 = 0.9, 0.999
	a.left1 = float64(a.left1 * decay1) // must not be fused with what follows
	a.left2 = float64(a.left2 * decay2)
	root := math.Sqrt(1 - a.left2)
	a.step = elementwise.Adam{
		Decay1: decay1, Share1: 1 - decay1, Decay2: decay2, Share2: 1 - decay2,
		Rate: float32(float64(a.Rate) * root / (1 - a.left1)), Epsilon: float32(1e-8 * root),
	}
	a.w, a.g = weights, gradient
	parallel.For((len(weights)+stepPiece-1)/stepPiece, a.piece)
	a.w, a.g = nil, nil
}

// SGD is gradient descent with momentum for one vector of weights: v = Momentum·v + g, then w =
// w − Rate·v.
type SGD struct {
	Rate, Momentum float32 // may be changed between steps

	v []float32
}

// NewSGD returns gradient descent for a vector of weights, before its first step.
func NewSGD(weights int, rate, momentum float32) *SGD {
	return &SGD{Rate: rate, Momentum: momentum, v: make([]float32, weights)}
}

// Reset clears the momentum, as before the first step.
func (s *SGD) Reset() { clear(s.v) }

// Step changes weights against their gradient.
func (s *SGD) Step(weights, gradient []float32) {
	sameLength(len(s.v), weights, gradient)
	elementwise.Momentum(weights, gradient, s.v, s.Rate, s.Momentum)
}

func sameLength(n int, weights, gradient []float32) {
	if len(weights) != n || len(gradient) != n {
		panic(fmt.Sprintf("vae: step with %d weights and %d derivatives, want %d", len(weights), len(gradient), n))
	}
}
