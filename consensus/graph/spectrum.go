package graph

import (
	"errors"

	"gonum.org/v1/gonum/mat"
)

// Spectrum holds the two eigenvalues of a matrix L, zero on constant vectors, that
// decide how fast averaging by I - α L converges.
type Spectrum struct {
	Lambda2   float64 // the smallest non-zero one
	LambdaMax float64
}

// denseUpTo is the number of vertices up to which eigenvalues are computed
// densely, which takes a second there and grows with the third power.
const denseUpTo = 1000

// Spectrum returns the eigenvalues of the graph's Laplacian L = D - A; Lambda2 is
// its algebraic connectivity. Above 1000 vertices they are estimates that err to
// the safe side: Lambda2 is at most the true one, LambdaMax at least, both by up to
// a millionth.
func (g *Graph) Spectrum() (Spectrum, error) { return g.spectrum(g.Weights) }

// MetropolisSpectrum returns the same of L = I - W with the weights W of
// Metropolis and Hastings: W's own eigenvalues next to the 1 of constant vectors
// are 1-Lambda2 and 1-LambdaMax.
func (g *Graph) MetropolisSpectrum() (Spectrum, error) { return g.spectrum(g.MetropolisWeights) }

func (g *Graph) spectrum(weights func(v int) []float64) (Spectrum, error) {
	n := g.Len()
	if g.Kind == Complete {
		l := float64(n) * weights(0)[0]
		return Spectrum{Lambda2: l, LambdaMax: l}, nil
	}
	if n > denseUpTo {
		return g.estimate(weights), nil
	}
	return g.dense(weights)
}

func (g *Graph) dense(weights func(v int) []float64) (Spectrum, error) {
	n := g.Len()
	l := mat.NewSymDense(n, nil)
	for v, neighbours := range g.adj {
		sum := 0.0
		for i, w := range weights(v) {
			l.SetSym(v, neighbours[i], -w)
			sum += w
		}
		l.SetSym(v, v, sum)
	}
	var e mat.EigenSym
	if !e.Factorize(l, false) {
		return Spectrum{}, errors.New("graph: the eigenvalues of the Laplacian did not converge")
	}
	values := e.Values(nil) // ascending
	return Spectrum{Lambda2: values[1], LambdaMax: values[n-1]}, nil
}
