package lapack

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/numeric/portable"
)

// Cholesky is the factor U of a positive definite matrix A = Uᵀ·U, row-major n by n.
// Below the diagonal it holds zeros.
type Cholesky struct {
	n int
	u []float64
}

// Factorise returns the factor of a, and reports whether a is positive definite.
func Factorise(a *mat.SymDense) (c Cholesky, ok bool) {
	raw := a.RawSymmetric()
	c = Cholesky{n: raw.N, u: make([]float64, raw.N*raw.N)}
	for i := range c.n {
		copy(c.u[i*c.n+i:(i+1)*c.n], raw.Data[i*raw.Stride+i:])
	}
	return c, Implementation{}.Dpotrf(blas.Upper, c.n, c.u, c.n)
}

// singular is the share of a variance that the other variables must leave unexplained for a
// matrix to count as positive definite to rounding.
const singular = 1e-13

// FactoriseRows is [Factorise] of the n by n matrix a, row-major. It reads only the upper triangle.
// It reports false, too, if a is positive definite by rounding alone.
func FactoriseRows(a []float64, n int) (c Cholesky, ok bool) {
	c, ok = Factorise(mat.NewSymDense(n, a))
	for i := 0; ok && i < n; i++ {
		v := c.u[i*n+i]
		ok = v*v > singular*a[i*n+i]
	}
	return c, ok
}

// U returns the factor, which the caller may keep but not change.
func (c Cholesky) U() []float64 { return c.u }

// LogDet returns ln|A|, which is infinite if an element on the diagonal of the factor is.
func (c Cholesky) LogDet() float64 { return LogDet(c.u, c.n) }

// LogDet returns ln|A| from the factor of A in the upper triangle of u, n by n.
func LogDet(u []float64, n int) float64 {
	sum := 0.0
	for i := range n {
		v := u[i*n+i]
		if math.IsInf(v, 1) {
			return v
		}
		sum += portable.Log(v)
	}
	return 2 * sum
}

// Inverse returns A⁻¹.
func (c Cholesky) Inverse() *mat.SymDense {
	out := append([]float64(nil), c.u...)
	Implementation{}.Dpotri(blas.Upper, c.n, out, c.n) // ok, because the diagonal is above 0
	for i := range c.n {
		for j := range i {
			out[i*c.n+j] = out[j*c.n+i]
		}
	}
	return mat.NewSymDense(c.n, out)
}

// Solve replaces b by A⁻¹·b.
func (c Cholesky) Solve(b []float64) {
	Implementation{}.Dpotrs(blas.Upper, c.n, 1, c.u, c.n, b, 1)
}
