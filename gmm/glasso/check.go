package glasso

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// violation is the distance of 0 from the subdifferential g + λ∂|x|; x = NaN
// stands for a value that is not penalised.
func violation(x, g, lambda float64) float64 {
	switch {
	case x > 0:
		g += lambda
	case x < 0:
		g -= lambda
	case x == 0:
		return math.Max(0, math.Abs(g)-lambda)
	}
	return math.Abs(g)
}

// Objective returns ln|Λ| − Tr(ΛS) − λ‖Λ‖₁, or −∞ if x is not positive definite.
func (p Problem) Objective(x *mat.SymDense) (float64, error) {
	s, err := p.smooth()
	if err != nil {
		return 0, err
	}
	var c mat.Cholesky
	if !c.Factorize(x) {
		return math.Inf(-1), nil
	}
	value := c.LogDet()
	for i := range s.SymmetricDim() {
		for j := range s.SymmetricDim() {
			value -= s.At(i, j) * x.At(i, j)
			if i != j {
				value -= p.Penalty * math.Abs(x.At(i, j))
			}
		}
	}
	return value, nil
}

// Gap bounds how far x is below the maximum: the dual objective at W = r's
// covariance, clipped to |W_ij − S_ij| ≤ λ, minus the objective. It is +∞ if the
// clipped matrix is not positive definite.
func (p Problem) Gap(r *Result) (float64, error) {
	s, err := p.smooth()
	if err != nil {
		return 0, err
	}
	m := s.SymmetricDim()
	clipped := mat.NewSymDense(m, diagonalMatrix(s))
	for i := range m {
		for j := range i {
			w := math.Max(s.At(i, j)-p.Penalty, math.Min(s.At(i, j)+p.Penalty, r.Covariance.At(i, j)))
			clipped.SetSym(i, j, w)
		}
	}
	var c mat.Cholesky
	if !c.Factorize(clipped) {
		return math.Inf(1), nil
	}
	value, err := p.Objective(r.Precision)
	return -c.LogDet() - float64(m) - value, err
}

func diagonalMatrix(s *mat.SymDense) []float64 {
	m := s.SymmetricDim()
	out := make([]float64, m*m)
	for i := range m {
		out[i*m+i] = s.At(i, i)
	}
	return out
}
