package blas

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// Implementation has those routines of BLAS whose results are defined to the last bit. A call
// runs on the caller's goroutine. It allocates nothing but a buffer of 1 MiB, which is kept for
// later calls. The zero value is ready for use, by several goroutines at once.
type Implementation struct{}

// Dgemm computes
//
//	C = alpha·op(A)·op(B) + beta·C
//
// where op(X) is X or its transpose, op(A) is m×k, op(B) k×n and C m×n, in rows of lda, ldb and
// ldc elements. C may not overlap A or B. If beta is zero, C is not read; if alpha is zero, A
// and B are not read.
//
// Unlike gonum's Dgemm, it does not skip elements of A that are zero. So values in B that are
// not finite show in C: 0·Inf is NaN, as in the reference BLAS. It panics as gonum's does if an
// argument is out of range or a slice is too short.
func (Implementation) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	x, okA := operand(tA, m, k, a, lda)
	y, okB := operand(tB, k, n, b, ldb)
	if !okA || !okB || m <= 0 || n <= 0 || ldc < n || len(c) < (m-1)*ldc+n {
		// C is empty, or gonum's panic names the argument
		gonum.Implementation{}.Dgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	double.gemm(m, n, k, alpha, x, y, beta, c, ldc)
}

// Dsyrk computes
//
//	C = alpha·A·Aᵀ + beta·C    or    C = alpha·Aᵀ·A + beta·C
//
// where C is symmetric, n×n, and only its triangle ul is read and written. A is n×k, or k×n if
// it is transposed. In either triangle, elements of C have the bits that [Implementation.Dgemm]
// computes. The rest of Dgemm's documentation applies too.
func (Implementation) Dsyrk(ul blas.Uplo, tA blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int) {
	x, ok := operand(tA, n, k, a, lda)
	if !ok || ul != blas.Upper && ul != blas.Lower || n <= 0 || ldc < n || len(c) < (n-1)*ldc+n {
		gonum.Implementation{}.Dsyrk(ul, tA, n, k, alpha, a, lda, beta, c, ldc)
		return
	}
	double.syrk(ul, n, k, alpha, x, beta, c, ldc)
}

// Sgemm is [Implementation.Dgemm] for float32; it sums products in float32, too.
func (Implementation) Sgemm(tA, tB blas.Transpose, m, n, k int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32, c []float32, ldc int) {
	x, okA := operand(tA, m, k, a, lda)
	y, okB := operand(tB, k, n, b, ldb)
	if !okA || !okB || m <= 0 || n <= 0 || ldc < n || len(c) < (m-1)*ldc+n {
		// C is empty, or gonum's panic names the argument
		gonum.Implementation{}.Sgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	single.gemm(m, n, k, alpha, x, y, beta, c, ldc)
}
