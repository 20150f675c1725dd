package chunking

import (
	"math"
	"strings"
	"testing"

	"github.com/collabdict/collabdict"
)

var arithmetics = []Arithmetic{Float, Ring, Ring128, Field}

func mustLayout(t testing.TB, a Arithmetic, size int, blocks ...collabdict.Block) *Layout {
	t.Helper()
	l, err := NewLayout(a, size, blocks)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestExponents(t *testing.T) {
	for _, c := range []struct {
		a     Arithmetic
		size  int
		bound float64
		want  int
	}{
		{Ring, 1024, 1e8, 26},
		{Ring, 32, 1e6, 38},
		{Field, 32, 1e6, 35},
		{Ring128, 1024, 1e8, 90},
		{Float, 32, 1e6, 12},
		{Ring, 1, 1, 62},
		{Ring, 3, 1, 61},
		{Ring, 4, 1, 60},   // 2·4·2^60 = 2^63, but with 2^61 it would be 2^64
		{Field, 1, 1, 59},  // 2^60 would be more than p/2
		{Field, 3, 1, 58},  //
		{Ring, 1, 1.5, 62}, // 1.5·2^62 < 2^63
		{Ring, 3, 1.9, 60}, // 3·1.9·2^60 < 2^63 < 3·1.9·2^61
		{Ring, 1, 0x1p-1074, 1136},
		{Ring, 1, 1e300, -934},
	} {
		if got := mustLayout(t, c.a, c.size, collabdict.Block{Len: 1, Bound: c.bound}).Exponent(0); got != c.want {
			t.Errorf("%s, %d members, bound %g: exponent %d, want %d", c.a, c.size, c.bound, got, c.want)
		}
	}
}

// hardBounds are extreme bounds for which the layout must still hold.
var hardBounds = []float64{
	1, 1000, 1e-3, 1.0000000000000002, 0.9999999999999999, 1e300, 1e-300,
	math.SmallestNonzeroFloat64, 3 * math.SmallestNonzeroFloat64, 1e-310, 0x1p-1022, 0x1p1000,
}

// No total of vectors within their bounds wraps: if all members are at the bound, the total is
// the bound times their number.
func TestTotalsAtTheBound(t *testing.T) {
	for _, a := range arithmetics {
		for _, size := range []int{1, 2, 3, 7, 31, 32, 1000, 1023, maxSize} {
			for _, bound := range hardBounds {
				for _, sign := range []float64{1, -1} {
					l := mustLayout(t, a, size, collabdict.Block{Len: 1, Bound: bound})
					units, err := l.Encode([]float64{sign * bound})
					if err != nil {
						t.Fatal(err)
					}
					total, err := l.Open(multiple(l, units, size), nil)
					if err != nil {
						t.Errorf("%s, %d members, bound %g: %v", a, size, bound, err)
						continue
					}
					want := sign * bound * float64(size)
					if d := math.Abs(total[0] - want); d > l.Error(0)+math.Abs(want)*0x1p-52 {
						t.Errorf("%s, %d members at bound %g: total %g", a, size, sign*bound, total[0])
					}
				}
			}
		}
	}
}

// multiple returns units added up n times.
func multiple(l *Layout, units []uint64, n int) []uint64 {
	sum, power := make([]uint64, len(units)), append([]uint64(nil), units...)
	for ; n > 0; n >>= 1 {
		if n&1 > 0 {
			l.Add(sum, power)
		}
		l.Add(power, append([]uint64(nil), power...))
	}
	return sum
}

func TestEncodeRefusesWhatIsOutsideItsBound(t *testing.T) {
	for _, a := range arithmetics {
		l := mustLayout(t, a, 3, collabdict.Block{Len: 2, Bound: 1}, collabdict.Block{Len: 1, Bound: 5})
		for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1.0000000000000002, -2} {
			if _, err := l.Encode([]float64{0, bad, 0}); err == nil || !strings.Contains(err.Error(), "value 1 ") {
				t.Errorf("%s: %g is encoded: %v", a, bad, err)
			}
		}
		if _, err := l.Encode([]float64{0, 0}); err == nil {
			t.Errorf("%s: a vector that is too short is encoded", a)
		}
	}
}

func TestRoundingIsHalfToEven(t *testing.T) {
	for _, a := range arithmetics {
		l := mustLayout(t, a, 2, collabdict.Block{Len: 6, Bound: 1})
		half := math.Ldexp(1, -l.Exponent(0)-1)
		units, err := l.Encode([]float64{half, 3 * half, 5 * half, -half, -3 * half, -2.5 * half})
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []int64{0, 2, 2, 0, -2, -1} {
			negative, u := l.lift(units, i)
			got := int64(u.lo)
			if negative {
				got = -got
			}
			if got != want || u.hi != 0 {
				t.Errorf("%s: value %d is %d units, want %d", a, i, got, want)
			}
		}
	}
}

func TestLayoutRefuses(t *testing.T) {
	ok := []collabdict.Block{{Len: 1, Bound: 1}}
	for name, c := range map[string]struct {
		a      Arithmetic
		size   int
		blocks []collabdict.Block
		want   string
	}{
		"arithmetic": {"decimal", 3, ok, "arithmetic: want"},
		"size":       {Ring, 0, ok, "members, got 0"},
		"too many":   {Ring, maxSize + 1, ok, "members, got"},
		"length":     {Ring, 3, []collabdict.Block{{Len: -1, Bound: 1}}, "block 0: want a length"},
		"zero":       {Ring, 3, []collabdict.Block{{Len: 1, Bound: 0}}, "block 0"},
		"NaN":        {Ring, 3, []collabdict.Block{{Len: 1, Bound: 1}, {Len: 1, Bound: math.NaN()}}, "block 1"},
		"infinite":   {Float, 3, []collabdict.Block{{Len: 1, Bound: math.Inf(1)}}, "block 0"},
		"sum":        {Ring128, 3, []collabdict.Block{{Len: 1, Bound: 1e308}}, "so that the sum of 3 members is finite"},
	} {
		if _, err := NewLayout(c.a, c.size, c.blocks); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}
