package gmm

import (
	"math"

	"gonum.org/v1/gonum/floats"

	kernels "github.com/collabdict/collabdict/internal/kernels/blas"
	"github.com/collabdict/collabdict/internal/numeric/portable"
)

// invertRoot takes the upper triangle of a covariance matrix Σ, n by n and row-major, and
// replaces it by the upper triangular U with UᵀU = Σ⁻¹. It returns ln|Σ|. ok is false if Σ is
// not positive definite within rounding. work has room for n values.
func invertRoot(a []float64, n int, work []float64) (logDet float64, ok bool) {
	// Compute Σ = V·Vᵀ with an upper triangular V, from the last column on. A column of V is
	// also kept as a row below the diagonal. The remainder of a variance is compared with the
	// whole variance.
	singular := float64(n) * 0x1p-52
	for j := range n {
		work[j] = a[j*n+j]
	}
	for j := n - 1; j >= 0; j-- {
		pivot := a[j*n+j]
		if !(pivot > singular*work[j]) || math.IsInf(pivot, 1) {
			return 0, false
		}
		root := math.Sqrt(pivot)
		logDet += 2 * portable.Log(root)
		a[j*n+j] = root
		column := a[j*n : j*n+j]
		for i := range column {
			a[i*n+j] /= root
			column[i] = a[i*n+j]
		}
		for i, v := range column {
			kernels.AddScaled(a[i*n+i:i*n+j], -v, column[i:])
		}
	}
	// U = V⁻¹, from the last row on.
	for i := n - 1; i >= 0; i-- {
		row := a[i*n : (i+1)*n]
		copy(work[i+1:n], row[i+1:])
		clear(row[:i])
		clear(row[i+1:])
		root := row[i]
		row[i] = 1
		for k := i + 1; k < n; k++ {
			kernels.AddScaled(row[k:], -work[k], a[k*n+k:(k+1)*n])
		}
		floats.Scale(1/root, row[i:])
	}
	return logDet, true
}
