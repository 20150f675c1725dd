package blas

import (
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas"

	"github.com/collabdict/collabdict/internal/kernels/cpu"
)

// precision holds the kernels and buffers for one type of numbers.
type precision[T number] struct {
	active     kernel[T] // fixed for the process; only tests change it
	workspaces sync.Pool
}

var (
	double = precision[float64]{active: choose(kernels())}
	single = precision[float32]{active: choose(kernelsSingle())}
)

func choose[T number](all []kernel[T]) kernel[T] {
	return all[slices.IndexFunc(all, func(k kernel[T]) bool { return k.path == cpu.Active() })]
}

// workspace holds the buffers of a call. They grow to what calls need: most matrices are small.
type workspace[T number] struct {
	packed   buffer[T] // panels of B
	left     buffer[T] // columns of A
	tile     buffer[T]
	triangle buffer[T]
	panel    buffer[T] // block of B that a triangle multiplies or divides
}

type buffer[T number] []T

// room returns the buffer, with at least n numbers. If it grows, their values are lost.
func (b *buffer[T]) room(n int) []T {
	if len(*b) < n {
		*b = make(buffer[T], n)
	}
	return *b
}

func (p *precision[T]) workspace() *workspace[T] {
	if w, ok := p.workspaces.Get().(*workspace[T]); ok {
		return w
	}
	return new(workspace[T])
}

// gemm computes C = alpha·A·B + beta·C, where A is m×k.
func (p *precision[T]) gemm(m, n, k int, alpha T, a, b view[T], beta T, c []T, ldc int) {
	empty := alpha == 0 || k == 0
	fresh := beta == 0 && !empty
	for r := 0; r < m && !fresh; r++ {
		scale(beta, c[r*ldc:][:n])
	}
	if empty {
		return
	}
	w := p.workspace()
	p.active.product(w, m, n, k, alpha, a, b, c, ldc, fresh)
	p.workspaces.Put(w)
}

// syrk computes the triangle ul of C = alpha·A·Aᵀ + beta·C, where A is n×k.
func (p *precision[T]) syrk(ul blas.Uplo, n, k int, alpha T, a view[T], beta T, c []T, ldc int) {
	for r := range n {
		lo, hi := part(ul, n, r)
		scale(beta, c[r*ldc:][lo:hi])
	}
	if alpha == 0 || k == 0 {
		return
	}
	w := p.workspace()
	p.active.triangle(w, ul, n, k, alpha, a, c, ldc)
	p.workspaces.Put(w)
}
