package lapack

import (
	"math"
	"sync"

	"gonum.org/v1/gonum/blas"

	kernels "github.com/collabdict/collabdict/internal/kernels/blas"
)

// factorLeaf sets U with UᵀU = A, or its transpose: row i is (a_i - Σ_k u_ki·u_k) / u_ii, fused
// and in the order of k.
func factorLeaf(ul blas.Uplo, n int, a []float64, lda int) (ok bool) {
	var u [leaf][leaf]float64 // rows have a constant length, so that the compiler needs no bounds checks
	row, column := lda, 1
	if ul == blas.Lower {
		row, column = column, row
	}
	for i := range n {
		for j := i; j < n; j++ {
			u[i][j] = a[i*row+j*column]
		}
	}
	for i := range n {
		x := &u[i]
		for k := range i {
			y := &u[k]
			f := -y[i]
			for j := i; j < leaf; j++ {
				x[j] = math.FMA(f, y[j], x[j])
			}
		}
		if !(x[i] > 0) {
			return false
		}
		root := math.Sqrt(x[i])
		for j := i; j < n; j++ {
			x[j] /= root
			a[i*row+j*column] = x[j]
		}
	}
	return true
}

// squares holds n×n matrices, n at most wideLeaf.
var squares = sync.Pool{New: func() any { return new([wideLeaf * wideLeaf]float64) }}

// invertLeaf solves for all columns of the inverse at once, including the zeros.
func invertLeaf(ul blas.Uplo, d blas.Diag, n int, a []float64, lda int) {
	square := squares.Get().(*[wideLeaf * wideLeaf]float64)
	x := square[:n*n]
	clear(x)
	for i := range n {
		x[i*n+i] = 1
	}
	kernels.Implementation{}.Dtrsm(blas.Left, ul, blas.NoTrans, d, n, n, 1, a, lda, x, n)
	for i := range n {
		lo, hi := part(ul, d, n, i)
		copy(a[i*lda+lo:i*lda+hi], x[i*n+lo:])
	}
	squares.Put(square)
}

// squareLeaf multiplies the whole matrix, including the zeros.
func squareLeaf(ul blas.Uplo, n int, a []float64, lda int) {
	square := squares.Get().(*[wideLeaf * wideLeaf]float64)
	x := square[:n*n]
	clear(x)
	for i := range n {
		lo, hi := part(ul, blas.NonUnit, n, i)
		copy(x[i*n+lo:i*n+hi], a[i*lda+lo:])
	}
	t := blas.NoTrans
	if ul == blas.Lower {
		t = blas.Trans
	}
	kernels.Implementation{}.Dsyrk(ul, t, n, n, 1, x, n, 0, a, lda)
	squares.Put(square)
}

// part returns the columns of row i that are in the triangle, from lo to hi-1, without the
// diagonal if it is not stored.
func part(ul blas.Uplo, d blas.Diag, n, i int) (lo, hi int) {
	lo, hi = 0, i+1
	if ul == blas.Upper {
		lo, hi = i, n
	}
	if d == blas.Unit && ul == blas.Upper {
		lo++
	} else if d == blas.Unit {
		hi--
	}
	return lo, hi
}
