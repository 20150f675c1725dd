package blas

import "github.com/collabdict/collabdict/internal/kernels/cpu"

const (
	// depth is the number of products that are summed before alpha times the sum is added to C.
	// It is part of the definition of the results: another depth gives other bits.
	depth = 256

	// widthLimit is the greatest width of a kernel.
	widthLimit = 48

	// The constants below only decide what is kept in which cache.
	packWidth  = 240          // columns of B packed at a time: a multiple of the widths of all kernels
	rowBlock   = 128          // rows of A read again for each panel of B
	leftStride = rowBlock + 8 // distance between gathered columns of A: an odd number of cache lines
	farColumn  = 128          // columns of A that are at least this far apart are gathered
	fewRows    = 48           // B is not packed for at most this number of rows of A,
	shortRow   = 1024         // if rows of B are not longer than this
	denseRow   = 128          // B is not packed for any A if its rows are not longer than this
)

// number is the type of the elements of matrices.
type number interface{ float32 | float64 }

// adder adds alpha·A·B to C. A is m×k with elements a[i*ars+p*aks], B is k×n with elements
// b[p*bks+j], and C is m×n with elements c[i*cs+j]. The sizes m, n and k are at least 1, and n
// is at most the kernel's width. Each element of C becomes
//
//	fma(alpha, fma(a[k-1], b[k-1], ... fma(a[0], b[0], 0)), c)
//
// on every machine. If C is fresh, it is not read and c is 0. Vectors lie along the rows of C,
// so that no sum is split.
type adder[T number] func(m, n, k int, alpha T, a []T, ars, aks int, b []T, bks int, c []T, cs int, fresh bool)

// turner copies four rows of k numbers, which begin at from[0], from[rows[1]] and so on, to the
// columns of to: to[p*stride+i] = from[rows[i]+p], for k%4 = 0.
type turner[T number] func(k int, from []T, rows [4]int, to []T, stride int)

// spreader copies k rows of panels·width numbers to panels. Rows begin row apart, panels begin
// step apart, and rows of a panel have no gaps. Panels and k are at least 1; width is the
// kernel's.
type spreader[T number] func(k, panels int, from []T, row int, to []T, step int)

// kernel is one implementation of the products of matrices.
type kernel[T number] struct {
	path  cpu.Path
	width int
	add   adder[T]
	turn  turner[T]
	// nil if Go's copy is used
	spread spreader[T]
	solve  solver[T] // of float64 alone
	// gathers reports whether a tile reads less than a cache line of a column of A. Columns
	// that are far apart are then worth a copy, because they would push each other out of the
	// cache.
	gathers bool
}

// isDirect reports whether B is read in place by m rows of A. It requires that rows of B have no
// gaps of more than a few cache lines, or that B is read too rarely to be worth a copy.
func isDirect[T number](m int, b view[T]) bool {
	return b.columnStride == 1 && (b.rowStride <= denseRow || m <= fewRows && b.rowStride <= shortRow)
}

// product adds alpha·A·B to C, or to zeros if C is fresh.
func (kn *kernel[T]) product(w *workspace[T], m, n, k int, alpha T, a, b view[T], c []T, ldc int, fresh bool) {
	direct := isDirect(m, b)
	gather := kn.gathers && a.rowStride == 1 && a.columnStride >= farColumn && n > kn.width
	step := packWidth
	if direct {
		step = n
	}
	for j0 := 0; j0 < n; j0 += step {
		nb := min(step, n-j0)
		for p0 := 0; p0 < k; p0 += depth {
			kb := min(depth, k-p0)
			block := b.from(p0, j0)
			var panels []T
			if !direct {
				panels = w.packed.room(kb * (nb + kn.width))
				kn.packPanels(panels, kb, nb, block)
			}
			for i0 := 0; i0 < m; i0 += rowBlock {
				mb := min(rowBlock, m-i0)
				x := a.from(i0, p0)
				if gather {
					x = w.gather(mb, kb, x)
				}
				for j := 0; j < nb; j += kn.width {
					wide := min(kn.width, nb-j)
					y, stride := block.data[j:], block.rowStride
					if !direct {
						y, stride = panels[j*kb:], packed(wide)
					}
					kn.add(mb, wide, kb, alpha, x.data, x.rowStride, x.columnStride, y, stride, c[i0*ldc+j0+j:], ldc, fresh && p0 == 0)
				}
			}
		}
	}
}

// gather copies m rows and k columns of A, whose columns have no gaps, to columns that are
// close to each other and begin at different offsets of cache lines.
func (w *workspace[T]) gather(m, k int, a view[T]) view[T] {
	left := w.left.room(k * leftStride)
	for p := range k {
		copy(left[p*leftStride:][:m], a.data[p*a.columnStride:])
	}
	return view[T]{left, 1, leftStride}
}
