package portable

import "math"

// singular is the share of a variance that the other variables must leave unexplained for a
// matrix to count as positive definite.
const singular = 1e-13

// Cholesky returns the upper triangular U with UᵀU = A for the n × n matrix A, row-major. It
// reads only the upper triangle. ok is false if A is not positive definite to rounding.
func Cholesky(a []float64, n int) (u []float64, ok bool) {
	u = append(u, a...)
	if !Factorise(u, n) {
		return nil, false
	}
	for i := range n {
		clear(u[i*n : i*n+i])
	}
	return u, true
}

// Factorise is Cholesky in place. It does not change the lower triangle.
func Factorise(a []float64, n int) (ok bool) {
	if len(a) != n*n {
		panic("portable: want a square matrix")
	}
	for i := range n {
		row := a[i*n : (i+1)*n]
		variance := row[i]
		for k := range i {
			above := a[k*n+i : k*n+n]
			f := above[0]
			rest := row[i:]
			for j, v := range above {
				rest[j] -= float64(f * v)
			}
		}
		if !(row[i] > singular*variance) || math.IsInf(row[i], 1) {
			return false
		}
		root := math.Sqrt(row[i])
		for j := i; j < n; j++ {
			row[j] /= root
		}
	}
	return true
}

// LogDet returns ln|UᵀU|.
func LogDet(u []float64, n int) float64 {
	diagonal := make([]float64, n)
	for i := range diagonal {
		diagonal[i] = u[i*n+i]
	}
	return 2 * LogProduct(diagonal)
}

// Inverse returns (UᵀU)⁻¹, both triangles.
func Inverse(u []float64, n int) []float64 {
	// v is U⁻¹, by rows from below: U_ii v_i = e_i − Σ_{k>i} U_ik v_k.
	v := make([]float64, n*n)
	for i := n - 1; i >= 0; i-- {
		row := v[i*n : (i+1)*n]
		row[i] = 1
		for k := i + 1; k < n; k++ {
			f := u[i*n+k]
			for j := k; j < n; j++ {
				row[j] -= float64(f * v[k*n+j])
			}
		}
		for j := i; j < n; j++ {
			row[j] /= u[i*n+i]
		}
	}
	out := make([]float64, n*n)
	for i := range n {
		for j := i; j < n; j++ {
			sum := 0.0
			for k := j; k < n; k++ {
				sum += float64(v[i*n+k] * v[j*n+k])
			}
			out[i*n+j], out[j*n+i] = sum, sum
		}
	}
	return out
}
