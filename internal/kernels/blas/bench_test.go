package blas

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// level3 is the part of BLAS that the benchmarks measure.
type level3 interface {
	triangles
	Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int)
	Sgemm(tA, tB blas.Transpose, m, n, k int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32, c []float32, ldc int)
	Dsyrk(ul blas.Uplo, tA blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int)
}

// measure runs f with every kernel of the machine and with gonum, on one thread, and reports
// GFLOP/s.
func measure(b *testing.B, flops int, f func(level3)) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	run := func(name string, i level3) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			f(i)
			best := time.Duration(math.MaxInt64) // shortest run, because other programs may be running
			for b.Loop() {
				start := time.Now()
				f(i)
				best = min(best, time.Since(start))
			}
			b.ReportMetric(float64(flops)/best.Seconds()/1e9, "GFLOP/s")
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

func BenchmarkDgemm(b *testing.B) { benchmarkGemm[float64](b) }

func BenchmarkSgemm(b *testing.B) { benchmarkGemm[float32](b) }

func benchmarkGemm[T number](b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, x := range []call[T]{
		{m: 512, n: 512, k: 512, tA: blas.NoTrans, tB: blas.NoTrans},
		{m: 512, n: 512, k: 512, tA: blas.Trans, tB: blas.NoTrans},
		{m: 512, n: 512, k: 512, tA: blas.NoTrans, tB: blas.Trans},
		{m: 64, n: 64, k: 4096, tA: blas.Trans, tB: blas.NoTrans},
		{m: 1024, n: 10, k: 10, tA: blas.NoTrans, tB: blas.NoTrans},
		{m: 1024, n: 38, k: 38, tA: blas.NoTrans, tB: blas.NoTrans},
		{m: 1024, n: 84, k: 84, tA: blas.NoTrans, tB: blas.NoTrans},
		{m: 1024, n: 84, k: 84, tA: blas.NoTrans, tB: blas.Trans},
	} {
		x.alpha = 1
		x = x.filled(rng.NormFloat64)
		b.Run(fmt.Sprintf("%dx%dx%d-%c%c", x.m, x.n, x.k, x.tA, x.tB), func(b *testing.B) {
			measure(b, 2*x.m*x.n*x.k, func(i level3) { x.into(i, x.c) })
		})
	}
}

// The rate counts the multiplications and additions of one triangle.
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
