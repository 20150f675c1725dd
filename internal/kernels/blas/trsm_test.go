package blas

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"

	"github.com/collabdict/collabdict/internal/testkit"
)

// triangleCall is one call of Dtrsm or Dtrmm.
type triangleCall struct {
	side     blas.Side
	ul       blas.Uplo
	tA       blas.Transpose
	diag     blas.Diag
	m, n     int
	alpha    float64
	a, b     []float64
	lda, ldb int
}

func (x triangleCall) String() string {
	return fmt.Sprintf("%c%c%c%c %dx%d alpha=%v lda=%d ldb=%d", x.side, x.ul, x.tA, x.diag, x.m, x.n, x.alpha, x.lda, x.ldb)
}

func (x triangleCall) order() int {
	if x.side == blas.Left {
		return x.m
	}
	return x.n
}

// filled returns the call with matrices whose solutions stay small. Elements outside the
// triangle are NaN.
func (x triangleCall) filled(rng *rand.Rand, pad int) triangleCall {
	n := x.order()
	x.lda, x.ldb = n+pad, x.n+pad
	x.a, x.b = make([]float64, (n-1)*x.lda+n), normals(rng, (x.m-1)*x.ldb+x.n)
	for i := range x.a {
		x.a[i] = math.NaN()
	}
	for i := range n {
		lo, hi := part(x.ul, n, i)
		for j := lo; j < hi; j++ {
			x.a[i*x.lda+j] = rng.NormFloat64() / float64(n)
		}
		x.a[i*x.lda+i] = 1 + rng.Float64()
		if x.diag == blas.Unit {
			x.a[i*x.lda+i] = math.NaN()
		}
	}
	return x
}

func (x triangleCall) dtrsm(i triangles) []float64 {
	b := slices.Clone(x.b)
	i.Dtrsm(x.side, x.ul, x.tA, x.diag, x.m, x.n, x.alpha, x.a, x.lda, b, x.ldb)
	return b
}

func (x triangleCall) dtrmm(i triangles) []float64 {
	b := slices.Clone(x.b)
	i.Dtrmm(x.side, x.ul, x.tA, x.diag, x.m, x.n, x.alpha, x.a, x.lda, b, x.ldb)
	return b
}

type triangles interface {
	Dtrsm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int)
	Dtrmm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int)
}

// at returns element (i, j) of the matrix that multiplies or divides a row or column of B,
// taken as a column.
func (x triangleCall) at(i, j int) float64 {
	if (x.side == blas.Right) != (x.tA != blas.NoTrans) {
		i, j = j, i
	}
	if i == j && x.diag == blas.Unit {
		return 1
	}
	if lo, hi := part(x.ul, x.order(), i); j < lo || j >= hi {
		return 0
	}
	return x.a[i*x.lda+j]
}

// isForward reports whether the matrix that at reads is a lower triangle.
func (x triangleCall) isForward() bool {
	return (x.ul == blas.Lower) == ((x.side == blas.Right) == (x.tA != blas.NoTrans))
}

// defined applies f to each column, or row, of B; f replaces it with its product or quotient.
func (x triangleCall) defined(f func(v []float64)) []float64 {
	b := slices.Clone(x.b)
	count, step, stride := x.n, 1, x.ldb
	if x.side == blas.Right {
		count, step, stride = x.m, x.ldb, 1
	}
	v := make([]float64, x.order())
	for c := range count {
		for i := range v {
			v[i] = b[c*step+i*stride]
		}
		f(v)
		for i := range v {
			b[c*step+i*stride] = v[i]
		}
	}
	return b
}

// chained returns c + alpha·Σ at(i, j)·v[j] for j from lo to hi-1, as Dgemm defines it.
func (x triangleCall) chained(c, alpha float64, i, lo, hi int, v []float64) float64 {
	for from := lo; from < hi; from += depth {
		s := 0.0
		for j := from; j < min(from+depth, hi); j++ {
			s = math.FMA(x.at(i, j), v[j], s)
		}
		c = math.FMA(alpha, s, c)
	}
	return c
}

// solved replaces v by the defined result of Dtrsm.
func (x triangleCall) solved(v []float64) {
	blocks(len(v), x.isForward(), func(at, size, lo, hi int) {
		for i := range size {
			v[at+i] = x.chained(x.alpha*v[at+i], -1, at+i, lo, hi, v)
		}
		for r := range size {
			i, first, step := at+r, at, 1
			if !x.isForward() {
				i, first, step = at+size-1-r, at+size-1, -1
			}
			for j := first; j != i; j += step {
				v[i] = math.FMA(-x.at(i, j), v[j], v[i])
			}
			v[i] /= x.at(i, i)
		}
	})
}

// multiplied replaces v by the defined result of Dtrmm.
func (x triangleCall) multiplied(v []float64) {
	old := slices.Clone(v)
	blocks(len(v), x.isForward(), func(at, size, lo, hi int) {
		for i := at; i < at+size; i++ {
			v[i] = x.chained(x.chained(0, x.alpha, i, at, at+size, old), x.alpha, i, lo, hi, old)
		}
	})
}

func (x triangleCall) check(t *testing.T) {
	t.Helper()
	solved, multiplied := x.defined(x.solved), x.defined(x.multiplied)
	eachKernel(func(name string) {
		sameBits(t, fmt.Sprintf("%s Dtrsm %v", name, x), x.dtrsm(Implementation{}), solved)
		sameBits(t, fmt.Sprintf("%s Dtrmm %v", name, x), x.dtrmm(Implementation{}), multiplied)
	})
	near(t, fmt.Sprintf("Dtrsm %v", x), solved, x.dtrsm(gonum.Implementation{}), 100)
	near(t, fmt.Sprintf("Dtrmm %v", x), multiplied, x.dtrmm(gonum.Implementation{}), 100)
}

func eachTriangle(f func(x triangleCall)) {
	for _, side := range []blas.Side{blas.Left, blas.Right} {
		for _, ul := range []blas.Uplo{blas.Upper, blas.Lower} {
			for _, tA := range transposes {
				for _, diag := range []blas.Diag{blas.NonUnit, blas.Unit} {
					f(triangleCall{side: side, ul: ul, tA: tA, diag: diag, alpha: 1})
				}
			}
		}
	}
}

func TestTriangles(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	eachTriangle(func(x triangleCall) {
		for i, s := range [][2]int{
			{1, 1}, {2, 3}, {4, 12}, {5, 1}, {7, 13}, {8, 24}, {9, 25}, {15, 30}, {31, 8}, {64, 3}, {65, 70}, {100, 9}, {3, 131}, {26, 64}, {135, 27},
		} {
			x.m, x.n, x.alpha = s[0], s[1], []float64{1, -0.5, 3}[i%3]
			x.filled(rng, i%4).check(t)
		}
	})
}

// Triangles and other sides that are cut more than once give results with the defined bits.
func TestLargeTriangles(t *testing.T) {
	testkit.SkipRaced(t)
	rng := rand.New(rand.NewPCG(3, 4))
	eachTriangle(func(x triangleCall) {
		x.m, x.n = depth+2*triangleBlock+3, 26
		if x.side == blas.Right {
			x.m, x.n = x.n, x.m
		}
		x.filled(rng, 1).check(t)
	})
	for _, side := range []blas.Side{blas.Left, blas.Right} {
		x := triangleCall{side: side, ul: blas.Upper, tA: blas.NoTrans, diag: blas.NonUnit, alpha: 2, m: 70, n: packWidth + 30}
		if side == blas.Right {
			x.m, x.n = x.n, x.m
		}
		x.filled(rng, 0).check(t)
	}
}

// Empty matrices stay untouched, and alpha 0 leaves only zeros.
func TestEmptyTriangles(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	x := triangleCall{side: blas.Left, ul: blas.Upper, tA: blas.NoTrans, diag: blas.NonUnit, m: 3, n: 4}.filled(rng, 1)
	want := x.dtrsm(gonum.Implementation{})
	sameBits(t, "Dtrsm with alpha 0", x.dtrsm(Implementation{}), want)
	sameBits(t, "Dtrmm with alpha 0", x.dtrmm(Implementation{}), want)
	x.alpha, x.n = 1, 0
	sameBits(t, "Dtrsm of nothing", x.dtrsm(Implementation{}), x.b)
	sameBits(t, "Dtrmm of nothing", x.dtrmm(Implementation{}), x.b)
}

func BenchmarkTriangles(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{64, 200, 400} {
		for _, side := range []blas.Side{blas.Left, blas.Right} {
			x := triangleCall{side: side, ul: blas.Upper, tA: blas.NoTrans, diag: blas.NonUnit, alpha: 1, m: n, n: n}.filled(rng, 0)
			c := slices.Clone(x.b)
			for name, f := range map[string]func(level3){
				"Dtrsm": func(i level3) { copy(c, x.b); i.Dtrsm(side, x.ul, x.tA, x.diag, n, n, 1, x.a, n, c, n) },
				"Dtrmm": func(i level3) { copy(c, x.b); i.Dtrmm(side, x.ul, x.tA, x.diag, n, n, 1, x.a, n, c, n) },
			} {
				b.Run(fmt.Sprintf("%s-%c-%d", name, side, n), func(b *testing.B) { measure(b, n*n*n, f) })
			}
		}
	}
}
