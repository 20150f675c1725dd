package blas

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// Dtrsm computes
//
//	B = alpha·op(A)⁻¹·B    or    B = alpha·B·op(A)⁻¹
//
// where A is triangular and B m×n. Each element has the same bits on every machine. Blocks of
// 64 rows, or columns, of B are solved one after the other. The products with the solved blocks
// are subtracted in their order, as Dgemm computes with -1 and alpha. Then the block itself is
// solved by
//
//	x[i] = fma(-a[i,i-1], x[i-1], ... fma(-a[i,0], x[0], b[i])) / a[i,i]
//
// or from the last element to the first. It panics as gonum's does.
func (Implementation) Dtrsm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	t, ok := triangularOf(s, ul, tA, d, m, n, a, lda, b, ldb)
	if !ok || alpha == 0 {
		gonum.Implementation{}.Dtrsm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
		return
	}
	w := double.workspace()
	if s == blas.Left {
		double.active.solveLeft(w, t, n, alpha, b, ldb)
	} else {
		double.active.solveRight(w, t, m, alpha, b, ldb)
	}
	double.workspaces.Put(w)
}

// Dtrmm computes
//
//	B = alpha·op(A)·B    or    B = alpha·B·op(A)
//
// where A is triangular and B m×n. Each element has the same bits on every machine: those of
// Dgemm, first with the blocks of 64 on the diagonal, and then with the rest of A beside each
// block. The other triangle of a block counts as zeros. Dtrmm panics as gonum's does.
func (Implementation) Dtrmm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	t, ok := triangularOf(s, ul, tA, d, m, n, a, lda, b, ldb)
	if !ok || alpha == 0 {
		gonum.Implementation{}.Dtrmm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
		return
	}
	w := double.workspace()
	if s == blas.Left {
		double.active.multiplyLeft(w, t, n, alpha, b, ldb)
	} else {
		double.active.multiplyRight(w, t, m, alpha, b, ldb)
	}
	double.workspaces.Put(w)
}

// triangularOf returns op(A), and reports whether the arguments are in range and not empty.
func triangularOf(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, a []float64, lda int, b []float64, ldb int) (t triangular[float64], ok bool) {
	t = triangular[float64]{order: n, upper: (ul == blas.Upper) == (tA == blas.NoTrans), unit: d == blas.Unit}
	if s == blas.Left {
		t.order = m
	}
	t.a, ok = operand(tA, t.order, t.order, a, lda)
	ok = ok && (s == blas.Left || s == blas.Right) && (ul == blas.Upper || ul == blas.Lower) && (d == blas.Unit || d == blas.NonUnit) &&
		m > 0 && n > 0 && ldb >= n && len(b) >= (m-1)*ldb+n
	return t, ok
}
