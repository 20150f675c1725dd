package blas

import (
	"math/rand/v2"
	"os"
	"syscall"
	"testing"
	"unsafe"
)

// Matrices that end where their memory ends, or begin where it begins, are
// neither read nor written beyond.
func TestNoElementBesides(t *testing.T) {
	last := make([]func([]float64) []float64, 3)
	first := make([]func([]float64) []float64, 3)
	for i := range last {
		last[i], first[i] = fenced(t)
	}
	rng := rand.New(rand.NewPCG(9, 10))
	for m := 1; m < 10; m++ {
		for n := 1; n < 28; n++ {
			x := call{tA: transposes[n%2], tB: transposes[n/2%2], m: m, n: n, k: 1 + n%6, alpha: 1, beta: 1, padC: m % 2}.filled(rng.NormFloat64)
			want := x.defined()
			for _, at := range [][]func([]float64) []float64{last, first} {
				eachKernel(func(name string) {
					y := x
					y.a, y.b, y.c = at[0](x.a), at[1](x.b), at[2](x.c)
					Implementation{}.Dgemm(y.tA, y.tB, m, n, y.k, 1, y.a, y.lda, y.b, y.ldb, 1, y.c, y.ldc)
					sameBits(t, name+" "+x.String(), y.c, want)
				})
			}
		}
	}
}

func TestNoElementOfVectorsBesides(t *testing.T) {
	lastX, firstX := fenced(t)
	lastY, firstY := fenced(t)
	rng := rand.New(rand.NewPCG(11, 12))
	for n := 1; n < 100; n++ {
		x, y := normals(rng, n), normals(rng, n)
		checkVectors(t, 1, lastX(x), lastY(y))
		checkVectors(t, 1, firstX(x), firstY(y))
	}
}

// fenced returns functions that copy a slice to the end, or to the beginning, of
// memory between two pages that cannot be touched.
func fenced(t *testing.T) (last, first func([]float64) []float64) {
	page := os.Getpagesize()
	memory, err := syscall.Mmap(-1, 0, 3*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Munmap(memory) })
	for _, outside := range [][]byte{memory[:page], memory[2*page:]} {
		if err := syscall.Mprotect(outside, syscall.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	inside := unsafe.Slice((*float64)(unsafe.Pointer(&memory[page])), page/8)
	last = func(x []float64) []float64 {
		y := inside[len(inside)-len(x):]
		copy(y, x)
		return y
	}
	first = func(x []float64) []float64 {
		copy(inside, x)
		return inside[:len(x)]
	}
	return last, first
}
