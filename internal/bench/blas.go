package bench

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"time"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"

	kernels "github.com/collabdict/collabdict/internal/kernels/blas"
	"github.com/collabdict/collabdict/internal/kernels/cpu"
	"github.com/collabdict/collabdict/internal/numeric/parallel"
)

// Products holds rates of matrix products, in 10^9 multiplications and additions per second.
// Fields for transposed products follow those for plain ones.
type Products struct {
	Dgemm           float64 `json:"dgemm_512_gflops"`    // C = A·B, all 512×512, in float64
	DgemmTransposed float64 `json:"dgemm_tn_512_gflops"` // C = Aᵀ·B
	Sgemm           float64 `json:"sgemm_512_gflops"`    // in float32
	SgemmTransposed float64 `json:"sgemm_tn_512_gflops"` // C = Aᵀ·B, in float32
	// The triangle of Xᵀ·X, where X is 4096×64, in float64.
	Dsyrk float64 `json:"syrk_4096x64_gflops"`
}

// BLASReport is the output of the command bench blas. Its names are a contract.
type BLASReport struct {
	Path    cpu.Path `json:"path"`    // vector instructions
	Threads int      `json:"threads"` // threads
	Products
	// Peak is the rate of fused multiply-adds in registers, in float64.
	Peak  float64  `json:"peak_gflops"`
	Gonum Products `json:"gonum"`          // rates of gonum
	Ratio Products `json:"ratio_to_gonum"` // rates divided by those of gonum
}

// MeasureBLAS measures the matrix kernels on the given number of threads, each with its own
// products.
func MeasureBLAS(ctx context.Context, threads int) (*BLASReport, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
	r := &BLASReport{Path: cpu.Active(), Threads: threads}
	r.Peak = gflops(threads, func(int) int { return kernels.Peak(1e6) })
	for _, side := range []struct {
		with level3
		to   *Products
	}{{kernels.Implementation{}, &r.Products}, {gonum.Implementation{}, &r.Gonum}} {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		*side.to = measureProducts(side.with, threads)
	}
	a, b := r.Products, r.Gonum
	r.Ratio = Products{a.Dgemm / b.Dgemm, a.DgemmTransposed / b.DgemmTransposed, a.Sgemm / b.Sgemm, a.SgemmTransposed / b.SgemmTransposed, a.Dsyrk / b.Dsyrk}
	return r, nil
}

type level3 interface {
	Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int)
	Sgemm(tA, tB blas.Transpose, m, n, k int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32, c []float32, ldc int)
	Dsyrk(ul blas.Uplo, tA blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int)
}

func measureProducts(with level3, threads int) (p Products) {
	const n, rows, columns = 512, 4096, 64
	x, c := drawn[float64](n*n), results[float64](threads, n*n)
	y, d := drawn[float32](n*n), results[float32](threads, n*n)
	for _, side := range []struct {
		t              blas.Transpose
		double, single *float64
	}{{blas.NoTrans, &p.Dgemm, &p.Sgemm}, {blas.Trans, &p.DgemmTransposed, &p.SgemmTransposed}} {
		*side.double = gflops(threads, func(i int) int {
			with.Dgemm(side.t, blas.NoTrans, n, n, n, 1, x, n, x, n, 0, c[i], n)
			return 2 * n * n * n
		})
		*side.single = gflops(threads, func(i int) int {
			with.Sgemm(side.t, blas.NoTrans, n, n, n, 1, y, n, y, n, 0, d[i], n)
			return 2 * n * n * n
		})
	}
	p.Dsyrk = gflops(threads, func(i int) int {
		with.Dsyrk(blas.Upper, blas.Trans, columns, rows, 1, x, columns, 0, c[i], columns)
		return columns * (columns + 1) * rows
	})
	return p
}

func drawn[T float32 | float64](size int) []T {
	rng := rand.New(rand.NewPCG(1, 2))
	x := make([]T, size)
	for i := range x {
		x[i] = T(rng.NormFloat64())
	}
	return x
}

func results[T any](threads, size int) [][]T {
	c := make([][]T, threads)
	for i := range c {
		c[i] = make([]T, size)
	}
	return c
}

// gflops returns the rate at which threads run f at the same time, in 10^9 operations per
// second; f returns its number of operations. The best of many runs counts.
func gflops(threads int, f func(thread int) int) float64 {
	operations := f(0) * threads
	best := time.Duration(math.MaxInt64)
	for run, began := 0, time.Now(); run < 3 || time.Since(began) < runsMost; run++ {
		start := time.Now()
		parallel.For(threads, func(i int) { f(i) })
		best = min(best, time.Since(start))
	}
	return float64(operations) / 1e9 / max(best, 1).Seconds()
}
