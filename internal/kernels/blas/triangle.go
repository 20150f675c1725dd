package blas

// triangular is a triangle op(A) that multiplies or divides B.
type triangular[T number] struct {
	a     view[T]
	order int
	upper bool // op(A), not A
	unit  bool // the diagonal counts as ones
}

// triangleBlock is the order of the triangles that a [solver] solves. Like depth, it is part of
// the definition of the results.
const triangleBlock = 64

// solver solves L·X = B in place, where L is lower triangular, m×m, and B is m×n; m is from 1
// to triangleBlock, n from 1 to the kernel's width. Row by row, elements become
//
//	fma(-l[i,i-1], x[i-1], ... fma(-l[i,0], x[0], b)) / l[i,i]
type solver[T number] func(m, n int, l corner[T], b []T, from, stride int)

// corner is a lower triangle with elements data[at+i*rowStride+j*columnStride], where both strides
// may be negative. Stride of a solver may be negative too: element (i, j) of B is
// b[from+i*stride+j].
type corner[T number] struct {
	data                        []T
	at, rowStride, columnStride int
	unit                        bool // the diagonal counts as ones, and is not read
}

// blocks calls f for the blocks of the diagonal, in order or in reverse. The range lo, hi
// covers the blocks already visited.
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

// block copies a triangle of the diagonal to w; the other triangle is zero.
func (t *triangular[T]) block(w *workspace[T], at, size int) view[T] {
	triangle := w.triangle.room(size * size)
	for i := range size {
		row := triangle[i*size:][:size]
		clear(row)
		lo, hi := 0, i+1
		if t.upper {
			lo, hi = i, size
		}
		for j := lo; j < hi; j++ {
			row[j] = t.a.data[(at+i)*t.a.rowStride+(at+j)*t.a.columnStride]
		}
		if t.unit {
			row[i] = 1
		}
	}
	return view[T]{triangle, size, 1}
}

// lower returns a triangle of the diagonal as a lower triangle. An upper triangle is read from
// its last row and column to the first.
func (t *triangular[T]) lower(at, size int) corner[T] {
	c := corner[T]{t.a.data, at * (t.a.rowStride + t.a.columnStride), t.a.rowStride, t.a.columnStride, t.unit}
	if t.upper {
		c.at += (size - 1) * (c.rowStride + c.columnStride)
		c.rowStride, c.columnStride = -c.rowStride, -c.columnStride
	}
	return c
}

func (t *triangular[T]) transposed() triangular[T] {
	return triangular[T]{t.a.transposed(), t.order, !t.upper, t.unit}
}
