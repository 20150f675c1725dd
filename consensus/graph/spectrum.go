package graph

import (
	"errors"

	"gonum.org/v1/gonum/mat"
)

// Spectrum holds the two eigenvalues of the Laplacian L = D - A that decide how
// fast an average converges.
type Spectrum struct {
	Lambda2   float64 // the smallest non-zero one: the algebraic connectivity
	LambdaMax float64
}

// Spectrum computes the eigenvalues of the graph's Laplacian, densely.
func (g *Graph) Spectrum() (Spectrum, error) {
	n := g.Len()
	l := mat.NewSymDense(n, nil)
	for v, neighbours := range g.adj {
		l.SetSym(v, v, float64(len(neighbours)))
		for _, w := range neighbours {
			l.SetSym(v, w, -1)
		}
	}
	var e mat.EigenSym
	if !e.Factorize(l, false) {
		return Spectrum{}, errors.New("graph: the eigenvalues of the Laplacian did not converge")
	}
	values := e.Values(nil) // ascending
	return Spectrum{Lambda2: values[1], LambdaMax: values[n-1]}, nil
}
