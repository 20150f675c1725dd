package partial

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/kernels/blas"
	"github.com/collabdict/collabdict/internal/kernels/lapack"
)

// Missing appends the indices of the missing cells of a row.
func Missing(to []int, row []float64) []int {
	for i, v := range row {
		if math.IsNaN(v) {
			to = append(to, i)
		}
	}
	return to
}

// Any reports whether a cell of a row is missing.
func Any(row []float64) bool {
	for _, v := range row {
		if math.IsNaN(v) {
			return true
		}
	}
	return false
}

// A Conditional is the distribution of the missing cells of a row given the others, if rows are
// normal with precision matrix Λ. Its precision is Λ_mm. Its mean is that of the missing cells,
// less Λ_mm⁻¹ Λ_mo (x_o − μ_o).
type Conditional struct {
	missing []int
	rows    []float64 // Λ_m: M values for each missing cell
	root    lapack.Cholesky
	// LogDet is ln|Λ_mm|.
	LogDet float64
}

// NewConditional returns the distribution for the given missing cells, in ascending order.
// precision is a positive definite matrix, row-major M × M. If rounding makes Λ_mm indefinite,
// its diagonal is used.
func NewConditional(precision []float64, dim int, missing []int) *Conditional {
	c := &Conditional{missing: missing, rows: make([]float64, 0, len(missing)*dim)}
	if len(missing) == 0 {
		return c
	}
	part := mat.NewSymDense(len(missing), nil)
	for a, i := range missing {
		row := precision[i*dim : (i+1)*dim]
		c.rows = append(c.rows, row...)
		for b := a; b < len(missing); b++ {
			part.SetSym(a, b, row[missing[b]])
		}
	}
	c.root = Factorise(part)
	c.LogDet = c.root.LogDet()
	return c
}

// Factorise returns the Cholesky factor of a matrix, or of its diagonal if rounding has made
// the matrix indefinite.
func Factorise(of *mat.SymDense) lapack.Cholesky {
	root, ok := lapack.Factorise(of)
	if ok {
		return root
	}
	n := of.SymmetricDim()
	diagonal := mat.NewSymDense(n, nil)
	for i := range n {
		diagonal.SetSym(i, i, math.Max(of.At(i, i), math.SmallestNonzeroFloat64))
	}
	root, _ = lapack.Factorise(diagonal)
	return root
}

// Fill sets the missing values of a centred row to their conditional means. They must be 0
// before.
func (c *Conditional) Fill(d []float64) {
	if len(c.missing) == 0 {
		return
	}
	solved := make([]float64, len(c.missing))
	for a := range solved {
		solved[a] = -blas.Dot(c.rows[a*len(d):(a+1)*len(d)], d)
	}
	c.root.Solve(solved)
	for a, i := range c.missing {
		d[i] = solved[a]
	}
}

// Covariance returns the covariance matrix of the missing cells, Λ_mm⁻¹, row-major.
func (c *Conditional) Covariance() []float64 {
	if len(c.missing) == 0 {
		return nil
	}
	return c.root.Inverse().RawSymmetric().Data
}

// Entropy returns the entropy of the missing cells, in nats.
func (c *Conditional) Entropy() float64 {
	const unit = 1.4189385332046727 // entropy of a standard normal variable: ½ ln 2πe
	return float64(float64(len(c.missing))*unit) - 0.5*c.LogDet
}

// add adds a draw with the conditional covariance to the missing values of a row: U⁻¹z for
// standard normal z, with Λ_mm = UᵀU.
func (c *Conditional) add(d, z []float64) {
	u, n := c.root.U(), len(c.missing)
	for a := n - 1; a >= 0; a-- {
		for b := a + 1; b < n; b++ {
			z[a] -= float64(u[a*n+b] * z[b])
		}
		z[a] /= u[a*n+a]
	}
	for a, i := range c.missing {
		d[i] += z[a]
	}
}
