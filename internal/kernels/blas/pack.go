package blas

// packed returns the distance between the rows of a packed panel of n columns.
func packed(n int) int { return (n + 3) &^ 3 }

// packPanels packs k rows and n columns of B; the panel of column j begins at to[j*k], for each
// multiple j of the kernel's width. Rows without gaps are read once from end to end, which the
// processor can prefetch.
func (kn *kernel[T]) packPanels(to []T, k, n int, b view[T]) {
	if b.columnStride != 1 {
		for j := 0; j < n; j += kn.width {
			wide := min(kn.width, n-j)
			kn.pack(to[j*k:], packed(wide), k, wide, b.from(0, j))
		}
		return
	}
	done := 0
	if panels := n / kn.width; kn.spread != nil && panels > 0 {
		kn.spread(k, panels, b.data, b.rowStride, to, kn.width*k)
		done = panels * kn.width
	}
	for p := range k {
		row := b.data[p*b.rowStride:][:n]
		for j := done; j < n; j += kn.width {
			wide := min(kn.width, n-j)
			copy(to[j*k+p*packed(wide):], row[j:j+wide])
		}
	}
}

// pack copies k rows and n columns of B, n at most the kernel's width, to rows that are stride
// apart. Elements after the n columns of a row are unused.
func (kn *kernel[T]) pack(to []T, stride, k, n int, b view[T]) {
	if b.columnStride == 1 {
		for p := range k {
			copy(to[p*stride:][:n], b.data[p*b.rowStride:])
		}
		return
	}
	// Columns of B have no gaps.
	whole := k &^ 3
	for j := 0; j < n; j += 4 {
		x := b.data[j*b.columnStride:]
		var rows [4]int
		for i := range min(4, n-j) {
			rows[i] = i * b.columnStride
		}
		if whole > 0 {
			kn.turn(whole, x, rows, to[j:], stride)
		}
		if whole < k {
			turn(k-whole, x[whole:], rows, to[whole*stride+j:], stride)
		}
	}
}

// turn is a [turner] for any k.
func turn[T number](k int, from []T, rows [4]int, to []T, stride int) {
	for i, r := range rows {
		for p := range k {
			to[p*stride+i] = from[r+p]
		}
	}
}

// unpack is the inverse of pack for a matrix whose columns have no gaps: to[j*ld+p] =
// from[p*stride+j] for k rows and n columns.
func (kn *kernel[T]) unpack(from []T, stride, k, n int, to []T, ld int) {
	rows, whole := [4]int{0, stride, 2 * stride, 3 * stride}, n&^3
	p := 0
	for ; p+4 <= k; p += 4 {
		x := from[p*stride:]
		if whole > 0 {
			kn.turn(whole, x, rows, to[p:], ld)
		}
		if whole < n {
			turn(n-whole, x[whole:], rows, to[whole*ld+p:], ld)
		}
	}
	for ; p < k; p++ {
		for j := range n {
			to[j*ld+p] = from[p*stride+j]
		}
	}
}
