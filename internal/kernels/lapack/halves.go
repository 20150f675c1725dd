package lapack

import (
	"gonum.org/v1/gonum/blas"

	kernels "github.com/collabdict/collabdict/internal/kernels/blas"
)

// The greatest orders that are not halved, for matrices that are factored and for triangles.
// They are part of the definition of the results.
const (
	leaf     = 8
	wideLeaf = 64
)

// halves are the parts of a triangle: the first triangle, order n1, the last, order n2, and the
// rectangle above or below them.
type halves struct {
	last, rest int // where they begin
	n1, n2     int
}

func halve(ul blas.Uplo, n, lda int) halves {
	n1 := (n/2 + leaf - 1) / leaf * leaf
	h := halves{last: n1*lda + n1, rest: n1, n1: n1, n2: n - n1}
	if ul == blas.Lower {
		h.rest = n1 * lda
	}
	return h
}

// factor replaces a positive definite matrix by its factor. It reports whether the matrix has
// one.
func factor(ul blas.Uplo, n int, a []float64, lda int) (ok bool) {
	if n <= leaf {
		return factorLeaf(ul, n, a, lda)
	}
	var b kernels.Implementation
	h := halve(ul, n, lda)
	first, rest, last := a, a[h.rest:], a[h.last:]
	if !factor(ul, h.n1, first, lda) {
		return false
	}
	if ul == blas.Upper {
		b.Dtrsm(blas.Left, ul, blas.Trans, blas.NonUnit, h.n1, h.n2, 1, first, lda, rest, lda)
		b.Dsyrk(ul, blas.Trans, h.n2, h.n1, -1, rest, lda, 1, last, lda)
	} else {
		b.Dtrsm(blas.Right, ul, blas.Trans, blas.NonUnit, h.n2, h.n1, 1, first, lda, rest, lda)
		b.Dsyrk(ul, blas.NoTrans, h.n2, h.n1, -1, rest, lda, 1, last, lda)
	}
	return factor(ul, h.n2, last, lda)
}

// invert replaces a triangle by its inverse.
func invert(ul blas.Uplo, d blas.Diag, n int, a []float64, lda int) {
	if n <= wideLeaf {
		invertLeaf(ul, d, n, a, lda)
		return
	}
	var b kernels.Implementation
	h := halve(ul, n, lda)
	first, rest, last := a, a[h.rest:], a[h.last:]
	if ul == blas.Upper {
		b.Dtrsm(blas.Right, ul, blas.NoTrans, d, h.n1, h.n2, -1, last, lda, rest, lda)
		b.Dtrsm(blas.Left, ul, blas.NoTrans, d, h.n1, h.n2, 1, first, lda, rest, lda)
	} else {
		b.Dtrsm(blas.Left, ul, blas.NoTrans, d, h.n2, h.n1, -1, last, lda, rest, lda)
		b.Dtrsm(blas.Right, ul, blas.NoTrans, d, h.n2, h.n1, 1, first, lda, rest, lda)
	}
	invert(ul, d, h.n1, first, lda)
	invert(ul, d, h.n2, last, lda)
}

// square replaces U by U·Uᵀ, or L by Lᵀ·L.
func square(ul blas.Uplo, n int, a []float64, lda int) {
	if n <= wideLeaf {
		squareLeaf(ul, n, a, lda)
		return
	}
	var b kernels.Implementation
	h := halve(ul, n, lda)
	first, rest, last := a, a[h.rest:], a[h.last:]
	square(ul, h.n1, first, lda)
	if ul == blas.Upper {
		b.Dsyrk(ul, blas.NoTrans, h.n1, h.n2, 1, rest, lda, 1, first, lda)
		b.Dtrmm(blas.Right, ul, blas.Trans, blas.NonUnit, h.n1, h.n2, 1, last, lda, rest, lda)
	} else {
		b.Dsyrk(ul, blas.Trans, h.n1, h.n2, 1, rest, lda, 1, first, lda)
		b.Dtrmm(blas.Left, ul, blas.Trans, blas.NonUnit, h.n2, h.n1, 1, last, lda, rest, lda)
	}
	square(ul, h.n2, last, lda)
}
