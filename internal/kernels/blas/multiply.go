package blas

// multiplyLeft computes B = alpha·op(A)·B, where B has n columns. It overwrites each block of
// rows once no other block needs it.
func (kn *kernel[T]) multiplyLeft(w *workspace[T], t triangular[T], n int, alpha T, b []T, ldb int) {
	blocks(t.order, t.upper, func(at, size, _, _ int) {
		rows := b[at*ldb:]
		block := t.block(w, at, size)
		for j := 0; j < n; j += packWidth {
			wide := min(packWidth, n-j)
			old := w.move(size, wide, rows[j:], ldb)
			kn.product(w, size, wide, size, alpha, block, old, rows[j:], ldb, false)
		}
		lo, hi := t.others(at, size)
		if lo < hi {
			kn.product(w, size, n, hi-lo, alpha, t.a.from(at, lo), view[T]{b[lo*ldb:], ldb, 1}, rows, ldb, false)
		}
	})
}

// multiplyRight computes B = alpha·B·op(A), where B has m rows.
func (kn *kernel[T]) multiplyRight(w *workspace[T], t triangular[T], m int, alpha T, b []T, ldb int) {
	side := t.transposed()
	blocks(t.order, side.upper, func(at, size, _, _ int) {
		columns := b[at:]
		block := t.block(w, at, size)
		for i := 0; i < m; i += packWidth {
			rows := columns[i*ldb:]
			high := min(packWidth, m-i)
			old := w.move(high, size, rows, ldb)
			kn.product(w, high, size, size, alpha, old, block, rows, ldb, false)
		}
		lo, hi := side.others(at, size)
		if lo < hi {
			kn.product(w, m, size, hi-lo, alpha, view[T]{b[lo:], ldb, 1}, t.a.from(lo, at), columns, ldb, false)
		}
	})
}

// others returns the columns beside the block, in the rows of the block.
func (t *triangular[T]) others(at, size int) (lo, hi int) {
	if t.upper {
		return at + size, t.order
	}
	return 0, at
}

// move returns a copy of m×n numbers of b and sets them to zero in b.
func (w *workspace[T]) move(m, n int, b []T, ldb int) view[T] {
	panel := w.panel.room(m * n)
	for i := range m {
		row := b[i*ldb:][:n]
		copy(panel[i*n:], row)
		clear(row)
	}
	return view[T]{panel, n, 1}
}
