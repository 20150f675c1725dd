package lapack

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/blas"
	blasgonum "gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/lapack/gonum"
)

var (
	orders    = []int{1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 129, 200}
	triangles = []blas.Uplo{blas.Upper, blas.Lower}
)

// definite returns a triangle of a positive definite matrix, with pad numbers at the end of
// each row. Elements outside the triangle are NaN.
func definite(ul blas.Uplo, n, pad int) (a []float64, lda int) {
	rng := rand.New(rand.NewPCG(uint64(n), 0))
	x := make([]float64, n*n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	lda = n + pad
	a = make([]float64, n*lda)
	for i := range n {
		a[i*lda+i] = float64(n)
	}
	gonumBLAS.Dsyrk(ul, blas.Trans, n, n, 1, x, n, 1, a, lda)
	for i := range n {
		for j := range lda {
			if ul == blas.Upper && j < i || ul == blas.Lower && j > i || j >= n {
				a[i*lda+j] = math.NaN()
			}
		}
	}
	return a, lda
}

var gonumBLAS blasgonum.Implementation

// routines are the routines that gonum has too.
type routines interface {
	Dpotrf(ul blas.Uplo, n int, a []float64, lda int) (ok bool)
	Dpotri(ul blas.Uplo, n int, a []float64, lda int) (ok bool)
	Dpotrs(ul blas.Uplo, n, m int, a []float64, lda int, b []float64, ldb int)
	Dtrtri(ul blas.Uplo, d blas.Diag, n int, a []float64, lda int) (ok bool)
}

// near fails the test unless got equals want up to rounding, and is NaN where want is.
func near(t *testing.T, what string, got, want []float64) {
	t.Helper()
	for i, w := range want {
		if math.IsNaN(w) != math.IsNaN(got[i]) || math.Abs(got[i]-w) > 1e-12*max(1, math.Abs(w)) {
			t.Fatalf("%s: element %d is %v, want %v", what, i, got[i], w)
		}
	}
}

func TestAgreesWithGonum(t *testing.T) {
	for count, n := range orders {
		for _, ul := range triangles {
			a, lda := definite(ul, n, count%3)
			each := func(name string, f func(l routines, a []float64) bool) {
				got, want := slices.Clone(a), slices.Clone(a)
				if !f(Implementation{}, got) || !f(gonum.Implementation{}, want) {
					t.Fatalf("%s %c %d: want success", name, ul, n)
				}
				near(t, fmt.Sprintf("%s %c %d", name, ul, n), got, want)
			}
			each("Dpotrf", func(l routines, a []float64) bool { return l.Dpotrf(ul, n, a, lda) })
			each("Dpotri", func(l routines, a []float64) bool { return l.Dpotrf(ul, n, a, lda) && l.Dpotri(ul, n, a, lda) })
			each("Dpotrs", func(l routines, a []float64) bool {
				b := slices.Repeat([]float64{1, -2, 3}, n)
				if !l.Dpotrf(ul, n, a, lda) {
					return false
				}
				l.Dpotrs(ul, n, 3, a, lda, b, 3)
				copy(a, b)
				return true
			})
			for i := range a {
				a[i] /= float64(n)
			}
			each("Dtrtri", func(l routines, a []float64) bool { return l.Dtrtri(ul, blas.NonUnit, n, a, lda) })
			for i := range a {
				a[i] /= float64(n)
			}
			each("Dtrtri unit", func(l routines, a []float64) bool { return l.Dtrtri(ul, blas.Unit, n, a, lda) })
		}
	}
}

// Results have the same bits on every machine and in every version. If they change, so do the
// models that members compute.
func TestBitsAreDefined(t *testing.T) {
	for _, ul := range triangles {
		// Products of small whole numbers are exact, whatever computes them.
		const n = 147
		a := make([]float64, n*n)
		for i := range n {
			for j := range n {
				a[i*n+j] = float64((i*j+i+j)%17 - 8)
			}
			a[i*n+i] = 10 * n
		}
		if !(Implementation{}).Dpotrf(ul, n, a, n) || !(Implementation{}).Dpotri(ul, n, a, n) {
			t.Fatal("want a positive definite matrix")
		}
		hash := fnv.New64a()
		if err := binary.Write(hash, binary.LittleEndian, a); err != nil {
			t.Fatal(err)
		}
		if got, want := hash.Sum64(), map[blas.Uplo]uint64{blas.Upper: 0x780cdc61b3dde809, blas.Lower: 0xc8c02788c4e30cd3}[ul]; got != want {
			t.Errorf("%c: digest %#x, want %#x", ul, got, want)
		}
	}
}

// Matrices that are not positive definite are rejected wherever the fault is, and NaN is
// rejected too.
func TestNotDefinite(t *testing.T) {
	for _, n := range []int{1, 16, 17, 40, 90} {
		for _, ul := range triangles {
			for _, at := range []int{0, n / 2, n - 1} {
				for _, bad := range []float64{0, -1e9, math.NaN()} {
					a, lda := definite(ul, n, 0)
					a[at*lda+at] = bad
					if (Implementation{}).Dpotrf(ul, n, a, lda) {
						t.Errorf("%c %d: %v at %d passes for positive definite", ul, n, bad, at)
					}
				}
			}
		}
	}
	a, lda := definite(blas.Upper, 20, 0)
	a[19*lda+19] = 0
	was := slices.Clone(a)
	if (Implementation{}).Dtrtri(blas.Upper, blas.NonUnit, 20, a, lda) || (Implementation{}).Dpotri(blas.Upper, 20, a, lda) {
		t.Error("a singular triangle is inverted")
	}
	near(t, "a singular triangle", a, was)
}

func TestBadArguments(t *testing.T) {
	x := make([]float64, 4)
	for name, f := range map[string]func(l routines){
		"uplo":  func(l routines) { l.Dpotrf('x', 2, x, 2) },
		"lda":   func(l routines) { l.Dpotrf('U', 2, x, 1) },
		"short": func(l routines) { l.Dpotri('U', 2, x[:3], 2) },
		"n":     func(l routines) { l.Dpotri('U', -2, x, 2) },
		"right": func(l routines) { l.Dpotrs('U', 2, 1, x, 2, x[:1], 1) },
		"diag":  func(l routines) { l.Dtrtri('U', 'x', 2, x, 2) },
	} {
		panicked := func(l routines) (what any) {
			defer func() { what = recover() }()
			f(l)
			return nil
		}
		if got, want := panicked(Implementation{}), panicked(gonum.Implementation{}); want == nil || got != want {
			t.Errorf("%s: got panic %v, want %v", name, got, want)
		}
	}
	if !(Implementation{}).Dpotrf('U', 0, nil, 1) {
		t.Error("an empty matrix is positive definite")
	}
}

// BenchmarkInverse measures Cholesky and inverse, n³ operations, with gonum and with this
// package. The best run counts.
func BenchmarkInverse(b *testing.B) {
	for _, n := range []int{16, 64, 200, 400, 1000} {
		a, lda := definite(blas.Upper, n, 0)
		c := make([]float64, len(a))
		run := func(name string, l routines) {
			b.Run(fmt.Sprintf("%d/%s", n, name), func(b *testing.B) {
				best := time.Duration(math.MaxInt64)
				for b.Loop() {
					copy(c, a)
					start := time.Now()
					if !l.Dpotrf(blas.Upper, n, c, lda) || !l.Dpotri(blas.Upper, n, c, lda) {
						b.Fatal("not positive definite")
					}
					best = min(best, time.Since(start))
				}
				b.ReportMetric(float64(n*n*n)/best.Seconds()/1e9, "GFLOP/s")
				b.ReportMetric(0, "ns/op")
			})
		}
		run("gonum", gonum.Implementation{})
		run("ours", Implementation{})
	}
}
