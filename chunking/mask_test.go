package chunking

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/collabdict/collabdict"
)

var someMask = Mask{
	Context: Context{Run: [32]byte{1}, Slot: 2, Ballot: 3, From: 4, To: 5},
	Purpose: ForChunk, Seed: [32]byte{6},
}

// expansion returns the units of a mask.
func expansion(l *Layout, m Mask) []uint64 {
	units := make([]uint64, l.Words())
	l.AddMask(units, m)
	return units
}

// The expansion of a seed is part of the protocol: a different one would give wrong sums
// between two versions.
func TestMaskVectors(t *testing.T) {
	block := collabdict.Block{Len: 2, Bound: 1}
	lane, pad := someMask, someMask
	lane.Lane = 1
	pad.Purpose = ForPad
	for _, c := range []struct {
		a    Arithmetic
		m    Mask
		want []uint64
	}{
		{Float, someMask, []uint64{0xfff033913c929eff, 0x35c53936e9dd8}},
		{Ring, someMask, []uint64{0x4ed1064d966c9b1e, 0xe9cb3cb7911c1493, 0x12c56a8d2a9f6bb8}},
		{Ring128, someMask, []uint64{
			0x4ed1064d966c9b1e, 0xe9cb3cb7911c1493, 0x12c56a8d2a9f6bb8, 0x363adc5242cfece3, 0x725f9e8129172d2e, 0x443ab271cb9bbf89,
		}},
		{Field, someMask, []uint64{0x9da20c9b2cd9363, 0x1d396796f2238292, 0x258ad51a553ed77}},
		{Ring, lane, []uint64{0x367017ef1580581e, 0x5897dd04f0bdc468, 0xa116df02b9b7b6cc}},
		{Ring, pad, []uint64{0x5af913700cc87b4f, 0xb965a9a6f8ac61df, 0x4a6d5acc65f50176}},
	} {
		if got := expansion(mustLayout(t, c.a, 2, block), c.m); !slices.Equal(got, c.want) {
			t.Errorf("%s, %s, lane %d: %#x, want %#x", c.a, c.m.Purpose, c.m.Lane, got, c.want)
		}
	}
}

// A mask is a sequence of words that does not depend on the blocks in which they are drawn.
// SubtractMask reverses AddMask.
func TestMasksOfAnyLength(t *testing.T) {
	for _, a := range arithmetics {
		long := mustLayout(t, a, 2, collabdict.Block{Len: 1500, Bound: 1})
		whole := expansion(long, someMask)
		if err := long.Check(whole); err != nil {
			t.Error(err)
		}
		for _, length := range []int{0, 1, 127, 128, 255, 256, 257, 600} {
			l := mustLayout(t, a, 2, collabdict.Block{Len: length, Bound: 1})
			got := expansion(l, someMask)
			if !slices.Equal(got, whole[:len(got)]) {
				t.Errorf("%s: the first %d words depend on the length", a, len(got))
			}
			l.SubtractMask(got, someMask)
			if slices.ContainsFunc(got, func(w uint64) bool { return w != 0 }) {
				t.Errorf("%s: a mask of %d words less itself is %v", a, len(got), got)
			}
		}
	}
}

// A source returns the words of a list.
type source []uint64

func (s *source) Uint64() uint64 {
	w := (*s)[0]
	*s = (*s)[1:]
	return w
}

// In the field, words that give p are skipped, wherever a block ends.
func TestFieldLeavesOutThePrime(t *testing.T) {
	words := source{8, math.MaxUint64, 16, math.MaxUint64, Prime << 3, 24, Prime<<3 - 1}
	got := make([]uint64, 4)
	fieldElements(got, &words)
	if want := []uint64{1, 2, 3, Prime - 1}; !slices.Equal(got, want) || len(words) > 0 {
		t.Errorf("got %d, want %d", got, want)
	}
}

// The words of masks are uniform, by χ² of their top and bottom bytes.
func TestMasksAreUniform(t *testing.T) {
	const length = 1 << 16
	for _, a := range []Arithmetic{Ring, Ring128, Field} {
		l := mustLayout(t, a, 2, collabdict.Block{Len: length, Bound: 1})
		top, bottom := make([]float64, 256), make([]float64, 256)
		units := expansion(l, someMask)
		for _, w := range units {
			if a == Field {
				top[w>>53]++
			} else {
				top[w>>56]++
			}
			bottom[w&255]++
		}
		for name, counts := range map[string][]float64{"top": top, "bottom": bottom} {
			if x := chiSquare(counts, float64(len(units))); x > 255+5*math.Sqrt(2*255) {
				t.Errorf("%s: %s bytes: χ² = %g", a, name, x)
			}
		}
	}
}

func TestMasksDifferWithAllThatTheyAreFor(t *testing.T) {
	variants := []Mask{someMask}
	for _, change := range []func(m *Mask){
		func(m *Mask) { m.Run[31]++ },
		func(m *Mask) { m.Slot++ },
		func(m *Mask) { m.Ballot++ },
		func(m *Mask) { m.Lane++ },
		func(m *Mask) { m.Lane += 2 },
		func(m *Mask) { m.From++ },
		func(m *Mask) { m.To++ },
		func(m *Mask) { m.From, m.To = m.To, m.From },
		func(m *Mask) { m.Purpose = ForPad },
		func(m *Mask) { m.Purpose = forLane },
		func(m *Mask) { m.Seed[31]++ },
	} {
		m := someMask
		change(&m)
		variants = append(variants, m)
	}
	seen := map[uint64]int{}
	l := mustLayout(t, Ring, 2)
	for i, m := range variants {
		w := expansion(l, m)[0]
		if j, ok := seen[w]; ok {
			t.Errorf("masks %d and %d are the same", i, j)
		}
		seen[w] = i
	}
}

func BenchmarkAddMask(b *testing.B) {
	for _, a := range arithmetics {
		for _, values := range []int{1000, 1 << 17} {
			b.Run(fmt.Sprintf("%s/%d", a, values), func(b *testing.B) {
				l := mustLayout(b, a, 16, collabdict.Block{Len: values, Bound: 1})
				units := make([]uint64, l.Words())
				b.SetBytes(int64(8 * len(units)))
				for b.Loop() {
					l.AddMask(units, someMask)
				}
			})
		}
	}
}
