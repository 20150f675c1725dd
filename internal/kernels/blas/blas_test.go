package blas

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"

	"github.com/collabdict/collabdict/internal/testkit"
)

// eachKernel calls f with each kernel of the machine active in turn.
func eachKernel(f func(name string)) {
	defer func(d kernel[float64], s kernel[float32]) { double.active, single.active = d, s }(double.active, single.active)
	singles := kernelsSingle()
	for i, k := range kernels() {
		double.active, single.active = k, singles[i]
		f(string(k.path))
	}
}

// call is one product, with room around the matrices that the product must not touch.
type call[T number] struct {
	tA, tB           blas.Transpose
	m, n, k          int
	alpha, beta      T
	padA, padB, padC int
	a, b, c          []T
	lda, ldb, ldc    int
}

// filled returns the call with matrices whose elements come from draw.
func (x call[T]) filled(draw func() float64) call[T] {
	shape := func(t blas.Transpose, rows, columns, pad int) ([]T, int) {
		if t != blas.NoTrans {
			rows, columns = columns, rows
		}
		ld := max(1, columns) + pad
		s := make([]T, max(0, (rows-1)*ld+columns))
		for i := range s {
			s[i] = T(draw())
		}
		return s, ld
	}
	x.a, x.lda = shape(x.tA, x.m, x.k, x.padA)
	x.b, x.ldb = shape(x.tB, x.k, x.n, x.padB)
	x.c, x.ldc = shape(blas.NoTrans, x.m, x.n, x.padC)
	return x
}

// gemm returns the result of Dgemm or Sgemm.
func (x call[T]) gemm(i level3) []T {
	c := slices.Clone(x.c)
	x.into(i, c)
	return c
}

func (x call[T]) into(i level3, c []T) {
	switch x := any(x).(type) {
	case call[float64]:
		i.Dgemm(x.tA, x.tB, x.m, x.n, x.k, x.alpha, x.a, x.lda, x.b, x.ldb, x.beta, any(c).([]float64), x.ldc)
	case call[float32]:
		i.Sgemm(x.tA, x.tB, x.m, x.n, x.k, x.alpha, x.a, x.lda, x.b, x.ldb, x.beta, any(c).([]float32), x.ldc)
	}
}

// defined returns the result of gemm by its definition, bit for bit, one element at a time.
func (x call[T]) defined() []T {
	c := slices.Clone(x.c)
	at := func(t blas.Transpose, s []T, ld, i, j int) T {
		if t != blas.NoTrans {
			i, j = j, i
		}
		return s[i*ld+j]
	}
	for i := range x.m {
		for j := range x.n {
			v := c[i*x.ldc+j] * x.beta
			if x.beta == 0 {
				v = 0
			}
			for from := 0; from < x.k && x.alpha != 0; from += depth {
				s := T(0)
				for p := from; p < min(from+depth, x.k); p++ {
					s = fma(at(x.tA, x.a, x.lda, i, p), at(x.tB, x.b, x.ldb, p, j), s)
				}
				v = fma(x.alpha, s, v)
			}
			c[i*x.ldc+j] = v
		}
	}
	return c
}

// fma returns x·y + z, rounded once.
func fma[T number](x, y, z T) T {
	if unsafe.Sizeof(x) == 8 {
		return T(math.FMA(float64(x), float64(y), float64(z)))
	}
	return T(fused(float32(x), float32(y), float32(z)))
}

// sameBits fails the test unless got and want have the same bits. A NaN may have any payload.
func sameBits[T number](t *testing.T, what string, got, want []T) {
	t.Helper()
	for i, w := range want {
		g := got[i]
		same := g == w && math.Signbit(float64(g)) == math.Signbit(float64(w))
		if !same && (g == g || w == w) {
			t.Fatalf("%s: element %d is %v, want %v", what, i, got[i], want[i])
		}
	}
}

// near fails the test unless got equals want up to rounding; size bounds the sums of absolute
// values.
func near[T number](t *testing.T, what string, got, want []T, size float64) {
	t.Helper()
	limit := 1e-15 * size
	if unsafe.Sizeof(T(0)) == 4 {
		limit = 5e-7 * size
	}
	for i := range want {
		if d := math.Abs(float64(got[i] - want[i])); !(d <= limit) {
			t.Fatalf("%s: element %d is %v, want %v: %.1g off, at most %.1g", what, i, got[i], want[i], d, limit)
		}
	}
}

var (
	transposes = []blas.Transpose{blas.NoTrans, blas.Trans}
	scalars    = [][2]float64{{1, 0}, {1, 1}, {0, 0.5}, {-0.7, 1.3}, {2, 0}, {0, 0}, {0, 1}}
	edges      = []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 11, 12, 13, 16, 17, 23, 24, 25, 31, 47, 49, 70}
)

// String describes the call for a failure.
func (x call[T]) String() string {
	return fmt.Sprintf("%c%c %dx%dx%d alpha=%v beta=%v lda=%d ldb=%d ldc=%d", x.tA, x.tB, x.m, x.n, x.k, x.alpha, x.beta, x.lda, x.ldb, x.ldc)
}

// check proves that every kernel has the defined bits. If beta is 0, the old values of C do not
// matter.
func (x call[T]) check(t *testing.T) {
	t.Helper()
	if x.beta == 0 {
		x.c = slices.Clone(x.c)
		for i := range x.c {
			x.c[i] = T(math.NaN())
		}
	}
	want := x.defined()
	eachKernel(func(name string) { sameBits(t, name+" "+x.String(), x.gemm(Implementation{}), want) })
}

// For finite numbers the result is gonum's up to rounding.
func TestGemmOfAllShapes(t *testing.T) {
	testkit.SkipRaced(t)
	depths := testkit.LongOr([]int{0, 1, 2, 5, 31, 70}, []int{0, 5, 70})
	t.Run("float64", func(t *testing.T) { testGemmOfAllShapes[float64](t, depths) })
	t.Run("float32", func(t *testing.T) { testGemmOfAllShapes[float32](t, depths) })
}

func testGemmOfAllShapes[T number](t *testing.T, depths []int) {
	rng := rand.New(rand.NewPCG(1, 2))
	count := 0
	for _, m := range edges {
		for n := range 73 {
			for _, k := range depths {
				count++
				s := scalars[count%len(scalars)]
				x := call[T]{
					tA: transposes[count/2%2], tB: transposes[count%2], m: m, n: n, k: k, alpha: T(s[0]), beta: T(s[1]),
					padA: count % 3, padB: count / 2 % 3, padC: count / 5 % 3,
				}.filled(rng.NormFloat64)
				x.check(t)
				near(t, x.String(), x.gemm(Implementation{}), x.gemm(gonum.Implementation{}), 16*float64(k+1))
			}
		}
	}
}

// Results have the same bits on every machine and in every version. If they change, so do the
// models that members compute.
func TestBitsAreDefined(t *testing.T) {
	testDigest[float64](t, 0x24f8ee9d59c07661)
	testDigest[float32](t, 0x210ebf135b3d0343)
}

func testDigest[T number](t *testing.T, want uint64) {
	rng := rand.New(rand.NewPCG(11, 12))
	x := call[T]{tA: blas.NoTrans, tB: blas.Trans, m: 21, n: 31, k: 2*depth + 9, alpha: 0.3, beta: -1.7}
	x = x.filled(func() float64 { return rng.Float64() - 0.5 })
	eachKernel(func(name string) {
		hash := fnv.New64a()
		if err := binary.Write(hash, binary.LittleEndian, x.gemm(Implementation{})); err != nil {
			t.Fatal(err)
		}
		if got := hash.Sum64(); got != want {
			t.Errorf("%T, %s: digest %#x, want %#x", x.alpha, name, got, want)
		}
	})
}

// Products are right for every combination of small shapes, transposes and scalars.
func TestGemmOfSmallShapes(t *testing.T) {
	t.Run("float64", testGemmOfSmallShapes[float64])
	t.Run("float32", testGemmOfSmallShapes[float32])
}

func testGemmOfSmallShapes[T number](t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, s := range [][3]int{{1, 1, 1}, {3, 5, 6}, {9, 26, 4}, {2, 15, 1}, {7, 1, 9}} {
		for _, tA := range append(transposes, blas.ConjTrans) {
			for _, tB := range append(transposes, blas.ConjTrans) {
				for _, ab := range scalars {
					call[T]{tA: tA, tB: tB, m: s[0], n: s[1], k: s[2], alpha: T(ab[0]), beta: T(ab[1]), padC: 2}.filled(rng.NormFloat64).check(t)
				}
			}
		}
	}
}

// Products are right for shapes that are cut along each of their sides.
func TestGemmOfLargeShapes(t *testing.T) {
	testkit.SkipRaced(t)
	t.Run("float64", testGemmOfLargeShapes[float64])
	t.Run("float32", testGemmOfLargeShapes[float32])
}

func testGemmOfLargeShapes[T number](t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for i, s := range [][3]int{{9, packWidth + 27, depth + 3}, {rowBlock + 13, 30, 2*depth + 1}, {50, packWidth + 1, 20}, {fewRows, shortRow + 1, 3}} {
		for j, tA := range transposes {
			for _, tB := range transposes {
				call[T]{tA: tA, tB: tB, m: s[0], n: s[1], k: s[2], alpha: 1.5, beta: T(j), padB: 3 * i, padC: i}.filled(rng.NormFloat64).check(t)
			}
		}
	}
}

// Values that are not finite reach the right elements; if beta is zero, those of C are ignored.
func TestGemmOfValuesThatAreNotFinite(t *testing.T) {
	t.Run("float64", testGemmOfWhatIsNotFinite[float64])
	t.Run("float32", testGemmOfWhatIsNotFinite[float32])
}

func testGemmOfWhatIsNotFinite[T number](t *testing.T) {
	odd := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1), math.MaxFloat64, math.MaxFloat32, 5e-324, -1e-310, 1e-45, -1e-39, 1}
	rng := rand.New(rand.NewPCG(7, 8))
	draw := func() float64 {
		if rng.IntN(40) == 0 {
			return odd[rng.IntN(len(odd))]
		}
		return rng.NormFloat64()
	}
	for i := range 300 {
		s := scalars[i%len(scalars)]
		call[T]{
			tA: transposes[i/2%2], tB: transposes[i%2], m: 1 + rng.IntN(20), n: 1 + rng.IntN(50), k: 1 + rng.IntN(10),
			alpha: T(s[0]), beta: T(s[1]), padC: 1,
		}.filled(draw).check(t)
	}
}

func TestPeakCounts(t *testing.T) {
	for _, about := range []int{0, 1000, 5000} {
		if got := Peak(about); got < about || got > 2*about+1000 {
			t.Errorf("%d operations, want about %d", got, 2*about)
		}
	}
}
