package portable

import "math"

// singular is the share of a variance that the other variables have to leave
// unexplained for a matrix to count as positive definite.
const singular = 1e-13

// Cholesky returns the upper U with UᵀU = A for the n by n matrix A, row-major,
// of which only the upper triangle is read. ok is false if A is not positive
// definite, or so nearly that rounding decides.
func Cholesky(a []float64, n int) (u []float64, ok bool) {
	if len(a) != n*n {
		panic("portable: want a square matrix")
	}
	u = make([]float64, n*n)
	for i := range n {
		row := u[i*n : (i+1)*n]
		copy(row[i:], a[i*n+i:(i+1)*n])
		for k := range i {
			above := u[k*n : (k+1)*n]
			f := above[i]
			for j := i; j < n; j++ {
				row[j] -= float64(f * above[j])
			}
		}
		if !(row[i] > singular*a[i*n+i]) || math.IsInf(row[i], 1) {
			return nil, false
		}
		root := math.Sqrt(row[i])
		for j := i; j < n; j++ {
			row[j] /= root
		}
	}
	return u, true
}

// LogDet returns ln|UᵀU|.
func LogDet(u []float64, n int) float64 {
	sum := 0.0
	for i := range n {
		sum += Log(u[i*n+i])
	}
	return 2 * sum
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
