package graph

import (
	"errors"

	"gonum.org/v1/gonum/mat"
)

// A Spectrum holds the two eigenvalues that decide how fast averaging by I - α L converges, for
// a matrix L that is zero on constant vectors.
type Spectrum struct {
	Lambda2   float64 // smallest nonzero eigenvalue
	LambdaMax float64
}

// denseUpTo is the largest number of vertices for which eigenvalues are computed densely. That
// takes one second at this size and grows with the third power.
const denseUpTo = 1000

// Spectrum returns the eigenvalues of the graph's Laplacian L = D - A. Lambda2 is its algebraic
// connectivity. Above 1000 vertices the values are estimates on the safe side: Lambda2 is at
// most the true value, and LambdaMax at least, each within a millionth.
func (g *Graph) Spectrum() (Spectrum, error) { return g.spectrum(g.Weights) }

// MetropolisSpectrum is like Spectrum for L = I - W with the Metropolis-Hastings weights W.
// Besides the eigenvalue 1 of constant vectors, the outermost eigenvalues of W are 1-Lambda2
// and 1-LambdaMax.
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
