package blas

import "gonum.org/v1/gonum/blas"

// triangleDepth is the number of products after which triangle moves to the next rows of A, so
// that these stay in a cache: a multiple of depth.
const triangleDepth = 4 * depth

// triangle adds alpha·A·Aᵀ to the triangle ul of C, where A is n×k. Each panel of
// columns is a rectangle and a corner on the diagonal.
func (kn *kernel[T]) triangle(w *workspace[T], ul blas.Uplo, n, k int, alpha T, a view[T], c []T, ldc int) {
	for from := 0; from < k; from += triangleDepth {
		to := min(from+triangleDepth, k)
		for j := 0; j < n; j += kn.width {
			wide := min(kn.width, n-j)
			corner, tile := c[j*ldc+j:], w.tile.room(wide * wide)[:wide*wide]
			clear(tile)
			for i := range wide {
				lo, hi := part(ul, wide, i)
				copy(tile[i*wide+lo:i*wide+hi], corner[i*ldc+lo:])
			}
			for p := from; p < to; p += depth {
				kn.columns(w, ul, n, j, min(depth, to-p), alpha, a.from(0, p), c, ldc)
			}
			for i := range wide {
				lo, hi := part(ul, wide, i)
				copy(corner[i*ldc+lo:i*ldc+hi], tile[i*wide+lo:])
			}
		}
	}
}

// columns adds k products, at most depth, to the panel of columns from j. It adds to the
// rectangle in C and, at the diagonal, to the corner in the tile: strips of rows there extend
// into the other triangle, which must not be written.
func (kn *kernel[T]) columns(w *workspace[T], ul blas.Uplo, n, j, k int, alpha T, a view[T], c []T, ldc int) {
	wide := min(kn.width, n-j)
	diagonal := a.from(j, 0)
	b := diagonal.transposed()
	y, stride := b.data, b.rowStride
	if !isDirect(n, b) {
		stride = packed(wide)
		y = w.packed.room(k * stride)
		kn.pack(y, stride, k, wide, b)
	}
	for i := 0; i < wide; i += kn.width / 3 { // as many rows per strip as a vector has elements
		rows := min(kn.width/3, wide-i)
		lo, _ := part(ul, wide, i)
		_, hi := part(ul, wide, i+rows-1)
		kn.add(rows, hi-lo, k, alpha, diagonal.from(i, 0).data, a.rowStride, a.columnStride, y[lo:], stride, w.tile[i*wide+lo:], wide, false)
	}
	if ul == blas.Upper && j > 0 {
		kn.add(j, wide, k, alpha, a.data, a.rowStride, a.columnStride, y, stride, c[j:], ldc, false)
	}
	if below := j + wide; ul == blas.Lower && below < n {
		x := a.from(below, 0)
		kn.add(n-below, wide, k, alpha, x.data, a.rowStride, a.columnStride, y, stride, c[below*ldc+j:], ldc, false)
	}
}

// part returns the columns of row i that are in the triangle, from lo to hi-1.
func part(ul blas.Uplo, n, i int) (lo, hi int) {
	if ul == blas.Upper {
		return i, n
	}
	return 0, i + 1
}
