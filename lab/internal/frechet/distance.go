package frechet

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	kernels "github.com/collabdict/collabdict/internal/kernels/blas"
)

// Normal is a normal distribution of M variables. Its covariance matrix may be singular.
type Normal struct {
	Mean       []float64
	Covariance *mat.SymDense
}

// Distance returns the Fréchet distance, also called the squared 2-Wasserstein distance,
// ‖μ₁−μ₂‖² + Tr(Σ₁ + Σ₂ − 2(Σ₁Σ₂)^½) (Dowson and Landau 1982), in squared units of the
// variables.
//
// With A_iᵀA_i = Σ_i, Tr (Σ₁Σ₂)^½ is the sum of the singular values of A₁A₂ᵀ. So it takes no
// root of the eigenvalues of a product, which would enlarge their rounding errors. Singular
// matrices need no added term, because A_i has as many rows as Σ_i has dimensions.
func Distance(p, q Normal) (float64, error) {
	if len(p.Mean) != len(q.Mean) || p.Covariance.SymmetricDim() != len(p.Mean) || q.Covariance.SymmetricDim() != len(q.Mean) {
		panic("frechet: want distributions of as many variables")
	}
	common, err := nuclear(factor(p.Covariance), factor(q.Covariance))
	if err != nil {
		return 0, err
	}
	means := floats.Distance(p.Mean, q.Mean, 2)
	return math.Max(0, means*means+mat.Trace(p.Covariance)+mat.Trace(q.Covariance)-2*common), nil
}

// factor returns A with AᵀA = s by Cholesky's factorisation with pivots, or nil if s is zero.
// Dimensions whose variance, positive or negative, is only rounding are dropped.
func factor(s *mat.SymDense) *mat.Dense {
	var c mat.PivotedCholesky
	c.Factorize(s, -1)
	if c.Rank() == 0 {
		return nil
	}
	dim := s.SymmetricDim()
	out, u, at := mat.NewDense(c.Rank(), dim, nil), c.RawU(), c.ColumnPivots(nil)
	for i := range c.Rank() {
		for j := i; j < dim; j++ {
			out.Set(i, at[j], u.At(i, j))
		}
	}
	return out
}

// nuclear returns the sum of the singular values of a·bᵀ.
func nuclear(a, b *mat.Dense) (float64, error) {
	if a == nil || b == nil {
		return 0, nil
	}
	x, y := a.RawMatrix(), b.RawMatrix()
	product := mat.NewDense(x.Rows, y.Rows, nil)
	kernels.Implementation{}.Dgemm(blas.NoTrans, blas.Trans, x.Rows, y.Rows, x.Cols, 1, x.Data, x.Stride, y.Data, y.Stride, 0, product.RawMatrix().Data, y.Rows)
	var s mat.SVD
	if !s.Factorize(product, mat.SVDNone) {
		return 0, errors.New("frechet: the singular values of two covariance matrices' factors do not converge; look for values far out of scale")
	}
	return floats.Sum(s.Values(nil)), nil
}
