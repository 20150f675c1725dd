package blas

import "gonum.org/v1/gonum/blas"

// view is a matrix whose element (i, j) is data[i*rowStride+j*columnStride].
type view[T number] struct {
	data                    []T
	rowStride, columnStride int
}

// from returns the matrix without its first i rows and j columns.
func (v view[T]) from(i, j int) view[T] {
	return view[T]{v.data[i*v.rowStride+j*v.columnStride:], v.rowStride, v.columnStride}
}

func (v view[T]) transposed() view[T] { return view[T]{v.data, v.columnStride, v.rowStride} }

// operand returns op(X) of shape rows×columns, and reports whether the arguments are in range.
func operand[T number](t blas.Transpose, rows, columns int, x []T, ld int) (view[T], bool) {
	v := view[T]{x, ld, 1}
	switch t {
	default:
		return v, false
	case blas.Trans, blas.ConjTrans:
		rows, columns = columns, rows
		v = v.transposed()
	case blas.NoTrans:
	}
	return v, rows >= 0 && columns >= 0 && ld >= max(1, columns) && len(x) >= (rows-1)*ld+columns
}

// scale multiplies x by beta. As in BLAS, beta 0 clears x even of NaN.
func scale[T number](beta T, x []T) {
	switch beta {
	case 1:
	case 0:
		clear(x)
	default:
		for i := range x {
			x[i] *= beta
		}
	}
}
