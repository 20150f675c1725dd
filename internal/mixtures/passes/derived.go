package passes

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Spread returns the covariance matrix of component k times its rows, with no negative
// variance.
func (s *Moments) Spread(k int) *mat.SymDense {
	out := mat.NewSymDense(s.Dim, nil)
	n := math.Max(s.N[k], 1)
	first, second := s.First[k*s.Dim:(k+1)*s.Dim], s.Second[k*s.Dim*s.Dim:]
	for i := range s.Dim {
		for j := i; j < s.Dim; j++ {
			out.SetSym(i, j, second[i*s.Dim+j]-float64(first[i]/n*first[j]))
		}
		out.SetSym(i, i, math.Max(0, out.At(i, i)))
	}
	return out
}

// Mean returns the mean of component k.
func (s *Moments) Mean(k int) []float64 {
	out := make([]float64, s.Dim)
	floats.ScaleTo(out, 1/math.Max(s.N[k], 1), s.First[k*s.Dim:(k+1)*s.Dim])
	return out
}

// Component returns the moments of component k alone.
func (s *Moments) Component(k int) *Moments {
	out := NewMoments(1, s.Dim, s.Full)
	out.N[0] = s.N[k]
	copy(out.First, s.First[k*s.Dim:(k+1)*s.Dim])
	copy(out.Second, s.Second[k*s.Stride():(k+1)*s.Stride()])
	return out
}
