package blas

// solveLeft computes B = alpha·op(A)⁻¹·B, where B has n columns.
func (kn *kernel[T]) solveLeft(w *workspace[T], t triangular[T], n int, alpha T, b []T, ldb int) {
	blocks(t.order, !t.upper, func(at, size, lo, hi int) {
		rows := b[at*ldb:]
		for r := range size {
			scale(alpha, rows[r*ldb:][:n])
		}
		if lo < hi {
			kn.product(w, size, n, hi-lo, -1, t.a.from(at, lo), view[T]{b[lo*ldb:], ldb, 1}, rows, ldb, false)
		}
		l := t.lower(at, size)
		for j := 0; j < n; j += kn.width {
			kn.solveBlock(l, size, min(kn.width, n-j), rows[j:], ldb)
		}
	})
}

// solveRight computes B = alpha·B·op(A)⁻¹, where B has m rows.
func (kn *kernel[T]) solveRight(w *workspace[T], t triangular[T], m int, alpha T, b []T, ldb int) {
	side := t.transposed()
	blocks(t.order, t.upper, func(at, size, lo, hi int) {
		columns := b[at:]
		for r := range m {
			scale(alpha, columns[r*ldb:][:size])
		}
		if lo < hi {
			kn.product(w, m, size, hi-lo, -1, view[T]{b[lo:], ldb, 1}, t.a.from(lo, at), columns, ldb, false)
		}
		l := side.lower(at, size)
		for i := 0; i < m; i += kn.width {
			wide := min(kn.width, m-i)
			rows, stride := columns[i*ldb:], packed(wide)
			panel := w.panel.room(size * stride)
			kn.pack(panel, stride, size, wide, view[T]{rows, 1, ldb})
			kn.solveBlock(l, size, wide, panel, stride)
			kn.unpack(panel, stride, size, wide, rows, ldb)
		}
	})
}

// solveBlock solves for one panel, from the last row if l is an upper triangle.
func (kn *kernel[T]) solveBlock(l corner[T], m, n int, b []T, ldb int) {
	from, stride := 0, ldb
	if l.rowStride < 0 {
		from, stride = (m-1)*ldb, -ldb
	}
	kn.solve(m, n, l, b, from, stride)
}
