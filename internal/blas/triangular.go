package blas

// triangular is a triangle op(A) that multiplies B or divides it.
type triangular[T number] struct {
	a     view[T]
	order int
	upper bool // op(A), not A
	unit  bool // the elements on the diagonal are taken as 1
}

// triangleBlock is the order of the triangles that a [solver] solves. It is part of
// what the results are, as depth is.
const triangleBlock = 64

// solver solves L·X = B in place, where L is lower triangular and m×m with elements
// a[i*as+j], and B m×n with elements b[from+i*bs+j]; m is from 1 to triangleBlock,
// n from 1 to the kernel's width, and bs may be negative. Row by row, elements become
//
//	fma(-a[i,i-1], x[i-1], ... fma(-a[i,0], x[0], b)) / a[i,i]
type solver[T number] func(m, n int, a []T, as int, b []T, from, bs int)

// blocks calls f for the blocks of the diagonal, each with the range of those that
// come before it: from the first to the last, or the other way round.
func blocks(n int, forward bool, f func(at, size, lo, hi int)) {
	last := (n - 1) / triangleBlock * triangleBlock
	for i := 0; i <= last; i += triangleBlock {
		if forward {
			f(i, min(triangleBlock, n-i), 0, i)
		} else {
			at := last - i
			size := min(triangleBlock, n-at)
			f(at, size, at+size, n)
		}
	}
}

// block copies a triangle of the diagonal to w, where the rest is zero.
func (t *triangular[T]) block(w *workspace[T], at, size int) view[T] {
	to := view[T]{w.triangle[:], triangleBlock, 1}
	for i := range size {
		row := w.triangle[i*triangleBlock:][:size]
		clear(row)
		lo, hi := 0, i+1
		if t.upper {
			lo, hi = i, size
		}
		for j := lo; j < hi; j++ {
			row[j] = t.a.data[(at+i)*t.a.row+(at+j)*t.a.column]
		}
		if t.unit {
			row[i] = 1
		}
	}
	return to
}

// lower copies a triangle of the diagonal to w as a lower one: an upper one from its
// last row and column to the first.
func (t *triangular[T]) lower(w *workspace[T], at, size int) {
	first, row, column := at*(t.a.row+t.a.column), t.a.row, t.a.column
	if t.upper {
		first += (size - 1) * (row + column)
		row, column = -row, -column
	}
	for i := range size {
		to := w.triangle[i*triangleBlock:][:i+1]
		for j := range to {
			to[j] = t.a.data[first+i*row+j*column]
		}
		if t.unit {
			to[i] = 1
		}
	}
}

func (t *triangular[T]) transposed() triangular[T] {
	return triangular[T]{t.a.transposed(), t.order, !t.upper, t.unit}
}
