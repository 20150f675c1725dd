package blas

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// level3 is what is measured.
type level3 interface {
	Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int)
	Dsyrk(ul blas.Uplo, tA blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int)
}

// measure runs f with every kernel of the machine and with gonum, on one thread,
// and reports GFLOP/s.
func measure(b *testing.B, flops int, f func(level3)) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	run := func(name string, i level3) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			f(i)
			for b.Loop() {
				f(i)
			}
			b.ReportMetric(float64(flops)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
	eachKernel(func(name string) { run(name, Implementation{}) })
	run("gonum", gonum.Implementation{})
}

func normals(rng *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

func BenchmarkDgemm(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, s := range []struct {
		m, n, k int
		tA, tB  blas.Transpose
	}{
		{512, 512, 512, blas.NoTrans, blas.NoTrans},
		{512, 512, 512, blas.Trans, blas.NoTrans},
		{512, 512, 512, blas.NoTrans, blas.Trans},
		{1024, 10, 10, blas.NoTrans, blas.NoTrans},
		{1024, 38, 38, blas.NoTrans, blas.NoTrans},
		{1024, 84, 84, blas.NoTrans, blas.NoTrans},
		{1024, 84, 84, blas.NoTrans, blas.Trans},
	} {
		lda, ldb := s.k, s.n
		if s.tA == blas.Trans {
			lda = s.m
		}
		if s.tB == blas.Trans {
			ldb = s.k
		}
		x, y, c := normals(rng, s.m*s.k), normals(rng, s.k*s.n), make([]float64, s.m*s.n)
		b.Run(fmt.Sprintf("%dx%dx%d-%c%c", s.m, s.n, s.k, s.tA, s.tB), func(b *testing.B) {
			measure(b, 2*s.m*s.n*s.k, func(i level3) {
				i.Dgemm(s.tA, s.tB, s.m, s.n, s.k, 1, x, lda, y, ldb, 0, c, s.n)
			})
		})
	}
}

// Multiplications and additions of one triangle are counted.
func BenchmarkDsyrk(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, s := range []struct{ n, k int }{{64, 4096}, {10, 4096}, {256, 1024}} {
		x, c := normals(rng, s.n*s.k), make([]float64, s.n*s.n)
		b.Run(fmt.Sprintf("%dx%d", s.k, s.n), func(b *testing.B) {
			measure(b, s.n*(s.n+1)*s.k, func(i level3) {
				i.Dsyrk(blas.Upper, blas.Trans, s.n, s.k, 1, x, s.n, 0, c, s.n)
			})
		})
	}
}
