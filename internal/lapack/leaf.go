package lapack

import (
	"math"

	"gonum.org/v1/gonum/blas"
)

// square16 holds a triangle of at most leaf rows, and zeros: rows are as long as that
// so that loops over them have no bounds to check.
type square16 [leaf][leaf]float64

// upper returns a triangle as an upper one: a lower one as its transpose.
func (s *square16) upper(ul blas.Uplo, n int, a []float64, lda int) {
	for i := range n {
		for j := i; j < n; j++ {
			s[i][j] = a[at(ul, i, j, lda)]
		}
	}
}

// back copies an upper triangle back to where it comes from.
func (s *square16) back(ul blas.Uplo, n int, a []float64, lda int) {
	for i := range n {
		for j := i; j < n; j++ {
			a[at(ul, i, j, lda)] = s[i][j]
		}
	}
}

// at returns where element (i, j) of the upper triangle is.
func at(ul blas.Uplo, i, j, lda int) int {
	if ul == blas.Upper {
		return i*lda + j
	}
	return j*lda + i
}

// add adds f·y to x from element j on, fused.
func add(x *[leaf]float64, f float64, y *[leaf]float64, j int) {
	for ; j < leaf; j++ {
		x[j] = math.FMA(f, y[j], x[j])
	}
}

// factorLeaf sets U with UᵀU = A: row i is (a_i - Σ_k u_ki·u_k) / u_ii.
func factorLeaf(ul blas.Uplo, n int, a []float64, lda int) (ok bool) {
	var u square16
	u.upper(ul, n, a, lda)
	for i := range n {
		row := &u[i]
		for k := range i {
			add(row, -u[k][i], &u[k], i)
		}
		if !(row[i] > 0) {
			return false
		}
		root := math.Sqrt(row[i])
		for j := i; j < leaf; j++ {
			row[j] /= root
		}
	}
	u.back(ul, n, a, lda)
	return true
}

// invertLeaf sets V = U⁻¹ from the last row: v_i = (e_i - Σ_k u_ik·v_k) / u_ii.
func invertLeaf(ul blas.Uplo, d blas.Diag, n int, a []float64, lda int) {
	var u, v square16
	u.upper(ul, n, a, lda)
	for i := n - 1; i >= 0; i-- {
		row := &v[i]
		row[i] = 1
		for k := i + 1; k < n; k++ {
			add(row, -u[i][k], &v[k], k)
		}
		for j := i; j < leaf && d == blas.NonUnit; j++ {
			row[j] /= u[i][i]
		}
	}
	for i := 0; i < n && d == blas.Unit; i++ {
		v[i][i] = u[i][i] // whatever that is
	}
	v.back(ul, n, a, lda)
}

// squareLeaf sets U·Uᵀ, one column of U after the other.
func squareLeaf(ul blas.Uplo, n int, a []float64, lda int) {
	var s square16
	for k := range n {
		var column [leaf]float64
		for i := range k + 1 {
			column[i] = a[at(ul, i, k, lda)]
		}
		for i := range k + 1 {
			add(&s[i], column[i], &column, i)
		}
	}
	s.back(ul, n, a, lda)
}
