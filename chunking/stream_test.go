package chunking

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Blocks made eight at once are those of the generator, however they are asked for.
func TestStreamIsChaCha8Rand(t *testing.T) {
	if !canExpand {
		t.Skip("this processor has no AVX2: the words are those of rand.ChaCha8 itself")
	}
	rapid.Check(t, func(t *rapid.T) {
		seed := [32]byte(rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "seed"))
		lengths := rapid.SliceOfN(rapid.IntRange(0, 400), 1, 12).Draw(t, "lengths")
		s, want := newStream(seed), rand.NewChaCha8(seed)
		for call, n := range lengths {
			got := make([]uint64, n)
			s.fill(got)
			for i, w := range got {
				if v := want.Uint64(); v != w {
					t.Fatalf("word %d of call %d of %d words: got %#x, want %#x", i, call, n, w, v)
				}
			}
		}
	})
}

// Without expand the words are the same.
func TestStreamWithoutExpand(t *testing.T) {
	seed := [32]byte{1, 2, 3}
	own, plain := newStream(seed), &stream{rng: rand.NewChaCha8(seed)}
	a, b := make([]uint64, 1000), make([]uint64, 1000)
	own.fill(a)
	plain.fill(b[:1])
	plain.fill(b[1:])
	if !slices.Equal(a, b) {
		t.Error("the words differ")
	}
}
