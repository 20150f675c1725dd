package blas

import (
	"math/rand/v2"
	"os"
	"syscall"
	"testing"
	"unsafe"

	"gonum.org/v1/gonum/blas"
)

// Matrices at the end, or the beginning, of their memory are not read or written beyond it.
func TestNoElementBesides(t *testing.T) {
	t.Run("float64", testNoElementBesides[float64])
	t.Run("float32", testNoElementBesides[float32])
}

func testNoElementBesides[T number](t *testing.T) {
	last := make([]func([]T) []T, 3)
	first := make([]func([]T) []T, 3)
	for i := range last {
		last[i], first[i] = fenced[T](t)
	}
	rng := rand.New(rand.NewPCG(9, 10))
	check := func(x call[T]) {
		x = x.filled(rng.NormFloat64)
		want := x.defined()
		for _, at := range [][]func([]T) []T{last, first} {
			eachKernel(func(name string) {
				y := x
				y.a, y.b, y.c = at[0](x.a), at[1](x.b), at[2](x.c)
				y.into(Implementation{}, y.c)
				sameBits(t, name+" "+x.String(), y.c, want)
			})
		}
	}
	for m := 1; m < 10; m++ {
		for n := 1; n < 52; n++ {
			check(call[T]{tA: transposes[n%2], tB: transposes[n/2%2], m: m, n: n, k: 1 + n%6, alpha: 1, beta: T(n / 4 % 2), padC: m % 2})
		}
	}
	for i, n := range []int{denseRow + 1, 3 * widthLimit, 3*widthLimit + 1, 4*widthLimit - 1} { // B is packed
		for k := 1; k < 4; k++ {
			check(call[T]{tA: blas.NoTrans, tB: blas.NoTrans, m: fewRows + 1, n: n, k: k, alpha: 1, beta: T(i % 2)})
		}
	}
}

func TestNoElementOfVectorsBesides(t *testing.T) {
	lastX, firstX := fenced[float64](t)
	lastY, firstY := fenced[float64](t)
	rng := rand.New(rand.NewPCG(11, 12))
	for n := 1; n < 100; n++ {
		x, y := normals(rng, n), normals(rng, n)
		checkVectors(t, 1, lastX(x), lastY(y))
		checkVectors(t, 1, firstX(x), firstY(y))
	}
}

func TestNoElementBesidesTriangles(t *testing.T) {
	lastA, firstA := fenced[float64](t)
	lastB, firstB := fenced[float64](t)
	rng := rand.New(rand.NewPCG(9, 10))
	eachTriangle(func(x triangleCall) {
		for m := 1; m < 18; m++ {
			for _, n := range []int{1, 3, 4, 7, 8, 12, 13, 17, 24, 25} {
				x.m, x.n = m, n
				if x.side == blas.Right {
					x.m, x.n = n, m
				}
				y := x.filled(rng, m%2)
				want := y.dtrsm(Implementation{})
				for _, at := range [][2]func([]float64) []float64{{lastA, lastB}, {firstA, firstB}} {
					eachKernel(func(name string) {
						a, b := at[0](y.a), at[1](y.b)
						Implementation{}.Dtrsm(y.side, y.ul, y.tA, y.diag, y.m, y.n, 1, a, y.lda, b, y.ldb)
						sameBits(t, name+" "+y.String(), b, want)
						copy(b, y.b)
						Implementation{}.Dtrmm(y.side, y.ul, y.tA, y.diag, y.m, y.n, 1, a, y.lda, b, y.ldb)
					})
				}
			}
		}
	})
}

// fenced returns functions that copy a slice to the end, or to the beginning, of memory between
// two inaccessible pages.
func fenced[T number](t *testing.T) (last, first func([]T) []T) {
	const pages = 20
	page := os.Getpagesize()
	memory, err := syscall.Mmap(-1, 0, (2+pages)*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Munmap(memory) })
	for _, outside := range [][]byte{memory[:page], memory[(1+pages)*page:]} {
		if err := syscall.Mprotect(outside, syscall.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	inside := unsafe.Slice((*T)(unsafe.Pointer(&memory[page])), pages*page/int(unsafe.Sizeof(T(0))))
	last = func(x []T) []T {
		y := inside[len(inside)-len(x):]
		copy(y, x)
		return y
	}
	first = func(x []T) []T {
		copy(inside, x)
		return inside[:len(x)]
	}
	return last, first
}
