package lapack

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack/gonum"

	kernels "github.com/collabdict/collabdict/internal/kernels/blas"
)

// Implementation has the routines of LAPACK for positive definite and triangular
// matrices, and no others. A call runs on the goroutine of its caller.
//
// The zero value is ready for use, by several goroutines at once.
type Implementation struct{}

// Dpotrf computes the factor of a positive definite matrix, A = Uᵀ·U or A = L·Lᵀ. It reads and
// writes only the triangle ul. It returns false if A is not positive definite; part of A is
// then overwritten. It panics as gonum's does if an argument is out of range or a slice is too
// short.
func (Implementation) Dpotrf(ul blas.Uplo, n int, a []float64, lda int) (ok bool) {
	if !isSquare(ul, n, a, lda) {
		return gonum.Implementation{}.Dpotrf(ul, n, a, lda)
	}
	return factor(ul, n, a, lda)
}

// Dpotri computes the triangle ul of the inverse of a matrix from its factor by
// [Implementation.Dpotrf]. It returns false if the factor has a zero on its diagonal.
func (Implementation) Dpotri(ul blas.Uplo, n int, a []float64, lda int) (ok bool) {
	if !isSquare(ul, n, a, lda) {
		return gonum.Implementation{}.Dpotri(ul, n, a, lda)
	}
	if !(Implementation{}).Dtrtri(ul, blas.NonUnit, n, a, lda) {
		return false
	}
	square(ul, n, a, lda)
	return true
}

// Dpotrs solves A·X = B with the factor of A by [Implementation.Dpotrf]. A is n by n; X, n by
// m, replaces B. It panics as gonum's does if an argument is out of range or a slice is too
// short.
func (Implementation) Dpotrs(ul blas.Uplo, n, m int, a []float64, lda int, b []float64, ldb int) {
	if !isSquare(ul, n, a, lda) || m <= 0 || ldb < m || len(b) < (n-1)*ldb+m {
		gonum.Implementation{}.Dpotrs(ul, n, m, a, lda, b, ldb)
		return
	}
	first, then := blas.Trans, blas.NoTrans
	if ul == blas.Lower {
		first, then = then, first
	}
	var k kernels.Implementation
	k.Dtrsm(blas.Left, ul, first, blas.NonUnit, n, m, 1, a, lda, b, ldb)
	k.Dtrsm(blas.Left, ul, then, blas.NonUnit, n, m, 1, a, lda, b, ldb)
}

// Dtrtri computes the inverse of a triangle. If there is a zero on the diagonal, it returns
// false and changes nothing.
func (Implementation) Dtrtri(ul blas.Uplo, d blas.Diag, n int, a []float64, lda int) (ok bool) {
	if !isSquare(ul, n, a, lda) || d != blas.Unit && d != blas.NonUnit {
		return gonum.Implementation{}.Dtrtri(ul, d, n, a, lda)
	}
	for j := 0; j < n && d == blas.NonUnit; j++ {
		if a[j*lda+j] == 0 {
			return false
		}
	}
	invert(ul, d, n, a, lda)
	return true
}

// isSquare reports whether a triangle is in range and not empty. If it is not, gonum panics.
func isSquare(ul blas.Uplo, n int, a []float64, lda int) bool {
	return (ul == blas.Upper || ul == blas.Lower) && n > 0 && lda >= n && len(a) >= (n-1)*lda+n
}
