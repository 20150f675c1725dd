package dpem

import (
	"math"

	"github.com/collabdict/collabdict/internal/kernels/blas"
	"github.com/collabdict/collabdict/internal/kernels/lapack"
)

// spectral returns the symmetric matrix with the eigenvectors of a, n by n, and its eigenvalues
// changed by of.
func spectral(a []float64, n int, of func(v float64) float64) []float64 {
	values, vectors, ok := lapack.Eigen(append([]float64(nil), a...), n)
	out := make([]float64, n*n)
	if !ok { // use the axes as directions
		for i := range n {
			out[i*n+i] = of(a[i*n+i])
		}
		return out
	}
	for k, v := range values {
		v = of(v)
		axis := vectors[k*n : (k+1)*n]
		for i, x := range axis {
			blas.AddScaled(out[i*n:(i+1)*n], float64(v*x), axis)
		}
	}
	return out
}

// raised returns a with its eigenvalues raised to at least least.
func raised(a []float64, n int, least float64) []float64 {
	return spectral(a, n, func(v float64) float64 { return math.Max(v, least) })
}

func symmetric(triangle []float64, n int) []float64 {
	out := make([]float64, n*n)
	at := 0
	for i := range n {
		for j := i; j < n; j++ {
			out[i*n+j], out[j*n+i] = triangle[at], triangle[at]
			at++
		}
	}
	return out
}

// congruent returns UᵀSU of an upper triangular U and a symmetric S.
func congruent(u, s []float64, n int) []float64 {
	half, out := make([]float64, n*n), make([]float64, n*n)
	for i := range n { // SU
		for k := range n {
			blas.AddScaled(half[i*n+k:(i+1)*n], s[i*n+k], u[k*n+k:(k+1)*n])
		}
	}
	for k := range n { // Uᵀ(SU)
		for i := k; i < n; i++ {
			blas.AddScaled(out[i*n:(i+1)*n], u[k*n+i], half[k*n:(k+1)*n])
		}
	}
	for i := range n {
		for j := range i {
			mean := (out[i*n+j] + out[j*n+i]) / 2
			out[i*n+j], out[j*n+i] = mean, mean
		}
	}
	return out
}

func norm2(x []float64) (sum float64) {
	for _, v := range x {
		sum += float64(v * v)
	}
	return sum
}

// less returns the share of an estimate that remains after removing what its noise is expected
// to add to its square (James and Stein 1961).
func less(square, noise float64) float64 {
	if !(square > noise) {
		return 0
	}
	return 1 - noise/square
}
