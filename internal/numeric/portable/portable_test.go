package portable_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"

	"github.com/collabdict/collabdict/internal/numeric/portable"
	_ "github.com/collabdict/collabdict/internal/testkit" // fixed draws
)

func near(t rapid.TB, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*math.Abs(want)) {
		t.Errorf("%s: got %.17g, want %.17g within %g", what, got, want, tol)
	}
}

func TestLog(t *testing.T) {
	for _, x := range []float64{1, 2, math.Sqrt2 / 2, math.Nextafter(1, 2), math.Nextafter(1, 0), math.MaxFloat64, math.E} {
		near(t, "ln", portable.Log(x), math.Log(x), 4e-16)
	}
	// math.Log is wrong for denormal numbers on some machines.
	near(t, "ln of the smallest number", portable.Log(5e-324), -744.4400719213812, 4e-16)
	rapid.Check(t, func(t *rapid.T) {
		x := math.Exp(rapid.Float64Range(-700, 700).Draw(t, "exponent"))
		near(t, "ln", portable.Log(x), math.Log(x), 4e-16)
		y := rapid.Float64Range(0.5, 2).Draw(t, "near 1")
		near(t, "ln", portable.Log(y), math.Log(y), 4e-16)
	})
}

func TestExp(t *testing.T) {
	for x, want := range map[float64]float64{0: 1, -math.SmallestNonzeroFloat64: 1, -701: 0, math.Inf(-1): 0} {
		if got := portable.Exp(x); got != want {
			t.Errorf("exponential of %g: got %g, want %g", x, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		x := -rapid.OneOf(rapid.Float64Range(0, 700), rapid.Float64Range(0, 2)).Draw(t, "x")
		near(t, "exponential", portable.Exp(x), math.Exp(x), 4e-16)
	})
}

func TestLogProduct(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.Float64Range(1e-200, 1e200), 0, 1100).Draw(t, "factors")
		want, size := 0.0, 1.0
		for _, v := range x {
			want += math.Log(v)
			size += math.Abs(math.Log(v))
		}
		if rapid.Bool().Draw(t, "many small ones") {
			want -= 3000 * math.Ln2 // a sum of 3000 would round as often
			size += 3000 * math.Ln2
			x = append(x, slices.Repeat([]float64{0.5}, 3000)...)
		}
		if got := portable.LogProduct(x); math.Abs(got-want) > 1e-13*size {
			t.Fatalf("got %.15g, want %.15g", got, want)
		}
	})
}

// The values are those of Python's statistics.NormalDist().inv_cdf at (2c + 1)/2⁵⁴,
// on both sides of the seams of the rational functions and at the ends.
func TestNormalKnownAnswers(t *testing.T) {
	for _, c := range []struct {
		cell uint64
		want float64
	}{
		{0, -8.292361075813595}, {1, -8.160707840858583}, {100, -7.636529682868859}, {10000, -7.0198819964478405}, {1400000000, -5.116739524548419}, {1000000000, -5.179866622814074}, {1000000000000, -3.6925180166482456}, {674639224180100, -1.4402382675279632}, {676440664031048, -1.4388253927525398}, {2702159776422297, -0.5244005127080407}, {2251799813685248, -0.6744897501960816}, {5404319552844595, 0.25334710313580006},
	} {
		near(t, "quantile", portable.Normal(&words{c.cell << 11}), c.want, 1e-14)
	}
}

type words []uint64

func (w *words) Uint64() uint64 {
	v := (*w)[0]
	*w = (*w)[1:]
	return v
}

func TestNormalIsSymmetric(t *testing.T) {
	low, high := portable.Normal(&words{0}), portable.Normal(&words{math.MaxUint64})
	if low != -high {
		t.Errorf("ends are %g and %g, want opposite ones", low, high)
	}
	if u := portable.Uniform(&words{math.MaxUint64}); u >= 1 {
		t.Errorf("a uniform value is %g, want less than 1", u)
	}
}

// Moments of 10⁶ draws within five standard errors.
func TestNormalMoments(t *testing.T) {
	src := rand.NewChaCha8([32]byte{1})
	x := make([]float64, 1e6)
	for i := range x {
		x[i] = portable.Normal(src)
	}
	mean, variance := stat.MeanVariance(x, nil)
	for _, c := range []struct {
		what      string
		got, want float64
		sd        float64 // of one draw
	}{
		{"mean", mean, 0, 1},
		{"variance", variance, 1, math.Sqrt(2)},
		{"skewness", stat.Skew(x, nil), 0, math.Sqrt(6)},
		{"excess kurtosis", stat.ExKurtosis(x, nil), 0, math.Sqrt(24)},
	} {
		if math.Abs(c.got-c.want) > 5*c.sd/1000 {
			t.Errorf("%s: got %g, want %g", c.what, c.got, c.want)
		}
	}
}

// The bits are the contract: a machine on which this fails draws other rows.
func TestBits(t *testing.T) {
	src := rand.NewChaCha8([32]byte{2})
	sum := sha256.New()
	put := func(v float64) { sum.Write(binary.BigEndian.AppendUint64(nil, math.Float64bits(v))) }
	for range 128000 {
		put(portable.Normal(src))
	}
	const want = "1dbaf420809e68ee502d972dbb784c5193c97abde66283f7374ebb01b94209a4"
	if got := hex.EncodeToString(sum.Sum(nil)); got != want {
		t.Errorf("digest %s, want %s", got, want)
	}
}
