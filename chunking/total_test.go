package chunking

import (
	"errors"
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/collabdict/collabdict"
	"pgregory.net/rapid"
)

// A sum is the result of masking in a view.
type sum struct {
	residues [][]uint64 // units, by member
	encoded  []uint64   // sum of the encoded vectors
	pads     []uint64   // sum of the pads
}

// mask prepares the vectors of a view's members for a session.
func mask(t interface{ Fatal(...any) }, l *Layout, xs [][]float64, fanout int, entropy byte) sum {
	s := sum{encoded: make([]uint64, l.Words()), pads: make([]uint64, l.Words())}
	for _, x := range xs {
		units, err := l.Encode(x)
		if err != nil {
			t.Fatal(err)
		}
		l.Add(s.encoded, units)
		s.residues = append(s.residues, units)
	}
	for from := range xs {
		secret := [32]byte{entropy, byte(from), byte(from >> 8)}
		c := Context{Slot: 7, Ballot: 1, From: from}
		for _, to := range Partners(secret, c, len(xs), fanout) {
			c.To = to
			m := Mask{Context: c, Purpose: ForChunk, Seed: Seed(secret, c)}
			l.SubtractMask(s.residues[from], m)
			l.AddMask(s.residues[to], m)
		}
		c.To = from
		pad := Mask{Context: c, Purpose: ForPad, Seed: Seed(secret, c)}
		l.AddMask(s.residues[from], pad)
		l.AddMask(s.pads, pad)
	}
	return s
}

// exactSum returns the sums of the vectors without any rounding.
func exactSum(xs [][]float64) []*big.Float {
	sums := make([]*big.Float, len(xs[0]))
	for i := range sums {
		sums[i] = new(big.Float).SetPrec(2400)
		for _, x := range xs {
			sums[i].Add(sums[i], big.NewFloat(x[i]))
		}
	}
	return sums
}

// distance returns |x - want|.
func distance(x float64, want *big.Float) float64 {
	d := new(big.Float).SetPrec(2400).Sub(big.NewFloat(x), want)
	f, _ := d.Abs(d).Float64()
	return f
}

// ulp returns the distance of x to the next float64.
func ulp(x float64) float64 { return math.Nextafter(math.Abs(x), math.Inf(1)) - math.Abs(x) }

// In every arithmetic, size, chunk graph and bound, residues add up exactly to the encoded
// vectors and the pads, and the opened sum is within the stated error.
func TestResiduesOpenToTheSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.SampledFrom(arithmetics).Draw(t, "arithmetic")
		size := rapid.IntRange(2, 24).Draw(t, "size")
		fanout := rapid.IntRange(1, size-1).Draw(t, "fanout")
		var blocks []collabdict.Block
		for range rapid.IntRange(1, 3).Draw(t, "blocks") {
			blocks = append(blocks, collabdict.Block{
				Len:   rapid.IntRange(0, 3).Draw(t, "length"),
				Bound: rapid.SampledFrom(hardBounds).Draw(t, "bound"),
			})
		}
		xs := make([][]float64, size)
		for s := range xs {
			for _, b := range blocks {
				for range b.Len {
					xs[s] = append(xs[s], b.Bound*rapid.Float64Range(-1, 1).Draw(t, "x"))
				}
			}
		}
		l, err := NewLayout(a, size, blocks)
		if err != nil {
			t.Fatal(err)
		}
		s := mask(t, l, xs, fanout, rapid.Byte().Draw(t, "entropy"))
		got, want := make([]uint64, l.Words()), slices.Clone(s.encoded)
		for _, y := range s.residues {
			l.Add(got, y)
		}
		l.Add(want, s.pads)
		if !slices.Equal(got, want) {
			t.Fatalf("residues add up to %v, want %v", got, want)
		}
		total, err := l.Open(got, s.pads)
		if err != nil {
			t.Fatal(err)
		}
		i := 0
		for b, exact := 0, exactSum(xs); b < len(blocks); b++ {
			for end := i + blocks[b].Len; i < end; i++ {
				if d := distance(total[i], exact[i]); d > l.Error(b)+ulp(total[i])/2 {
					t.Errorf("value %d is %g, off by %g, want at most %g and rounding", i, total[i], d, l.Error(b))
				}
			}
		}
	})
}

// A float64 session adds only the rounding errors of its residues and of its average.
func TestTotalOfAFloatSession(t *testing.T) {
	for _, bound := range hardBounds {
		const size = 600
		l := mustLayout(t, Float, size, collabdict.Block{Len: 3, Bound: bound})
		xs := make([][]float64, size)
		for s := range xs {
			xs[s] = []float64{bound, -bound, bound * float64(s%3-1)}
		}
		s := mask(t, l, xs, 2, 9)
		average := make([]float64, l.Words())
		for _, y := range s.residues {
			for i, w := range l.ToSession(y) {
				average[i] += math.Float64frombits(w) / size
			}
		}
		words := make([]uint64, len(average))
		for i, v := range average {
			words[i] = math.Float64bits(v * size)
		}
		total, err := l.Total(words, s.pads)
		if err != nil {
			t.Errorf("bound %g: %v", bound, err)
			continue
		}
		// Sums of 600 residues of about 2^54 units, rounded 600 times.
		session := math.Ldexp(600*600*4, -l.Exponent(0))
		for i, exact := range exactSum(xs) {
			if d := distance(total[i], exact); d > l.Error(0)+session+ulp(total[i]) {
				t.Errorf("bound %g: value %d is off by %g of %g", bound, i, d, session)
			}
		}
	}
}

// The result of a float64 session is rounded to units and kept modulo 2^64 like the pads,
// however large the masks of many members are.
func TestUnitsOfAFloatSession(t *testing.T) {
	l := mustLayout(t, Float, 600, collabdict.Block{Len: 1, Bound: 1})
	for _, c := range []struct {
		total float64 // in units
		want  uint64
	}{
		{0, 0},
		{2.7, 3},
		{2.5, 2},
		{-2.7, math.MaxUint64 - 2},
		{0x1p53 + 2, 1<<53 + 2},
		{0x1p63, 1 << 63},
		{0x1p64, 0},
		{0x1p65 + 0x1p30, 1 << 30},
		{-0x1p65 - 0x1p30, math.MaxUint64 - 1<<30 + 1},
		{-0x1p72, 0},
	} {
		got, err := l.FromSession([]uint64{math.Float64bits(c.total * 0x1p-32)})
		if err != nil || got[0] != c.want {
			t.Errorf("%g units: %d, %v, want %d", c.total, got, err, c.want)
		}
	}
}

// With two words per value the total is the exact one, rounded once, even where float64 loses
// all digits.
func TestRing128IsAsGoodAsOnePlace(t *testing.T) {
	xs := [][]float64{{1e8, 1, 1e-9}, {1e-8, 0x1p-53, 1e-9}, {-1e8, 0x1p-80, 1e-9}}
	l := mustLayout(t, Ring128, 3, collabdict.Block{Len: 3, Bound: 1e8})
	s := mask(t, l, xs, 2, 1)
	words := make([]uint64, l.Words())
	for _, y := range s.residues {
		l.Add(words, l.ToSession(y))
	}
	total, err := l.Total(words, s.pads)
	if err != nil {
		t.Fatal(err)
	}
	for i, exact := range exactSum(xs) {
		if want, _ := exact.Float64(); math.Abs(total[i]-want) > math.Ldexp(1, -90) && total[i] != want {
			t.Errorf("value %d: %g, want %g", i, total[i], want)
		}
	}
	if total[1] != math.Nextafter(1, 2) {
		t.Errorf("1 + 2^-53 + 2^-80 gives %v: not rounded once", total[1])
	}
}

// If one side loses a mask, the result is an error and never a wrong total.
func TestALostMaskIsFound(t *testing.T) {
	for _, a := range arithmetics {
		for _, bound := range []float64{1, 0.7, 1e-310} {
			l := mustLayout(t, a, 3, collabdict.Block{Len: 1, Bound: bound})
			for entropy := range byte(100) {
				s := mask(t, l, [][]float64{{bound}, {0}, {-bound}}, 2, entropy)
				l.AddMask(s.encoded, Mask{Seed: [32]byte{entropy}, Purpose: ForChunk})
				_, err := l.Open(s.encoded, nil)
				var wrong *TotalError
				if !errors.As(err, &wrong) {
					t.Errorf("%s: %v", a, err)
				}
			}
		}
	}
}

func TestOpenRefusesWhatNoMemberSends(t *testing.T) {
	for _, a := range arithmetics {
		l := mustLayout(t, a, 2, collabdict.Block{Len: 2, Bound: 1})
		if _, err := l.Total(make([]uint64, l.Words()+1), nil); err == nil {
			t.Errorf("%s: a total that is too long is taken", a)
		}
		if _, err := l.Total(make([]uint64, l.Words()), []uint64{0}); err == nil {
			t.Errorf("%s: pads that are too short are taken", a)
		}
	}
	float := mustLayout(t, Float, 2, collabdict.Block{Len: 2, Bound: 1})
	for _, bad := range []float64{math.NaN(), math.Inf(1), -1e300, 5.1, 0x1p33} {
		var wrong *TotalError
		if _, err := float.Total([]uint64{0, math.Float64bits(bad)}, nil); !errors.As(err, &wrong) || wrong.Value != 1 {
			t.Errorf("a session's total of %g: %v", bad, err)
		}
	}
	field := mustLayout(t, Field, 2, collabdict.Block{Len: 1, Bound: 1})
	for _, words := range [][]uint64{{Prime, 0}, {0, math.MaxUint64}} {
		if _, err := field.Total(words, nil); err == nil {
			t.Errorf("%d is taken for field elements", words)
		}
		if _, err := field.Total([]uint64{0, 0}, words); err == nil {
			t.Errorf("%d is taken for pads", words)
		}
	}
	ring := mustLayout(t, Ring, 3, collabdict.Block{Len: 1, Bound: 1})
	var wrong *TotalError
	if _, err := ring.Total([]uint64{math.MaxInt64, 0}, nil); !errors.As(err, &wrong) || wrong.Value != 0 {
		t.Errorf("a total beyond the bounds: %v", err)
	}
}
