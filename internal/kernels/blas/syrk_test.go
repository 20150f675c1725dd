package blas

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// Dsyrk computes the bits of Dgemm in its triangle, and leaves the other triangle alone.
func TestDsyrk(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	count := 0
	for _, n := range append(edges, 100) {
		for _, k := range []int{0, 1, 3, 40, depth + 1, triangleDepth + depth + 2} {
			if n > 50 && k > triangleDepth && n != 70 {
				continue
			}
			for _, ul := range []blas.Uplo{blas.Upper, blas.Lower} {
				count++
				tA, s := transposes[count/2%2], scalars[count%len(scalars)]
				checkDsyrk(t, ul, call[float64]{
					tA: tA, tB: blas.Trans + blas.NoTrans - tA, m: n, n: n, k: k, alpha: s[0], beta: s[1],
					padA: count % 3, padC: count / 2 % 3,
				}.filled(rng.NormFloat64))
			}
		}
	}
	for _, tA := range transposes { // rows too long to be read in place
		x := call[float64]{tA: tA, tB: blas.Trans + blas.NoTrans - tA, m: denseRow + 3, n: denseRow + 3, k: 9, alpha: 1}
		checkDsyrk(t, blas.Lower, x.filled(rng.NormFloat64))
	}
}

func checkDsyrk(t *testing.T, ul blas.Uplo, x call[float64]) {
	t.Helper()
	x.b, x.ldb = x.a, x.lda
	dsyrk := func(i level3) []float64 {
		c := slices.Clone(x.c)
		i.Dsyrk(ul, x.tA, x.n, x.k, x.alpha, x.a, x.lda, x.beta, c, x.ldc)
		return c
	}
	full, want := x.gemm(Implementation{}), slices.Clone(x.c)
	for i := range x.n {
		lo, hi := part(ul, x.n, i)
		copy(want[i*x.ldc+lo:i*x.ldc+hi], full[i*x.ldc+lo:])
	}
	eachKernel(func(name string) {
		sameBits(t, fmt.Sprintf("%s %c %v", name, ul, x), dsyrk(Implementation{}), want)
	})
	near(t, fmt.Sprintf("%c %v", ul, x), want, dsyrk(gonum.Implementation{}), 32*float64(x.k+1))
}

// Concurrent calls do not share buffers.
func TestCallsAtOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	x := call[float64]{tA: blas.NoTrans, tB: blas.Trans, m: 30, n: 60, k: 2 * depth, alpha: 1}.filled(rng.NormFloat64)
	y := call[float64]{tA: blas.Trans, tB: blas.Trans, m: 60, n: 50, k: depth, alpha: 1}.filled(rng.NormFloat64)
	wantX, wantY := x.defined(), y.defined()
	var group sync.WaitGroup
	for range 4 {
		for _, one := range []struct {
			call[float64]
			want []float64
		}{{x, wantX}, {y, wantY}} {
			group.Go(func() {
				for range 20 {
					if !slices.Equal(one.gemm(Implementation{}), one.want) {
						t.Errorf("%v: another result than alone", one.call)
						return
					}
				}
			})
		}
	}
	group.Wait()
}

// Arguments out of range cause gonum's panics.
func TestBadArguments(t *testing.T) {
	x := make([]float64, 6)
	tests := map[string]func(i level3){
		"transpose":   func(i level3) { i.Dgemm('x', 'N', 2, 2, 2, 1, x, 2, x, 2, 0, x, 2) },
		"negative":    func(i level3) { i.Dgemm('N', 'N', -1, 2, 2, 1, x, 2, x, 2, 0, x, 2) },
		"lda":         func(i level3) { i.Dgemm('N', 'N', 2, 2, 2, 1, x, 1, x, 2, 0, x, 2) },
		"ldc":         func(i level3) { i.Dgemm('N', 'N', 2, 2, 2, 1, x, 2, x, 2, 0, x, 1) },
		"short a":     func(i level3) { i.Dgemm('N', 'N', 2, 2, 2, 1, x[:3], 2, x, 2, 0, x, 2) },
		"short b":     func(i level3) { i.Dgemm('N', 'T', 2, 2, 2, 1, x, 2, x[:3], 2, 0, x, 2) },
		"short c":     func(i level3) { i.Dgemm('N', 'N', 2, 2, 2, 1, x, 2, x, 2, 0, x[:3], 2) },
		"single":      func(i level3) { i.Sgemm('N', 'N', 2, 2, 2, 1, make([]float32, 4), 1, nil, 2, 0, nil, 2) },
		"uplo":        func(i level3) { i.Dsyrk('x', 'N', 2, 2, 1, x, 2, 0, x, 2) },
		"side":        func(i level3) { i.Dtrsm('x', 'U', 'N', 'N', 2, 2, 1, x, 2, x, 2) },
		"diagonal":    func(i level3) { i.Dtrmm('L', 'U', 'N', 'x', 2, 2, 1, x, 2, x, 2) },
		"trsm short":  func(i level3) { i.Dtrsm('L', 'U', 'N', 'N', 2, 2, 1, x[:3], 2, x, 2) },
		"trmm ldb":    func(i level3) { i.Dtrmm('R', 'L', 'T', 'U', 2, 2, 1, x, 2, x, 1) },
		"syrk short":  func(i level3) { i.Dsyrk('U', 'N', 2, 2, 1, x[:3], 2, 0, x, 2) },
		"syrk ldc":    func(i level3) { i.Dsyrk('L', 'T', 2, 2, 1, x, 2, 0, x, 1) },
		"syrk k":      func(i level3) { i.Dsyrk('L', 'T', 2, -1, 1, x, 2, 0, x, 2) },
		"syrk shortC": func(i level3) { i.Dsyrk('L', 'T', 2, 2, 1, x, 2, 0, x[:3], 2) },
	}
	panicked := func(f func(level3), i level3) (what any) {
		defer func() { what = recover() }()
		f(i)
		return nil
	}
	for name, f := range tests {
		got, want := panicked(f, Implementation{}), panicked(f, gonum.Implementation{})
		if want == nil || got != want {
			t.Errorf("%s: got panic %v, want %v", name, got, want)
		}
	}
}
