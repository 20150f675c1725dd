package chunking

import (
	"bytes"
	"crypto/hkdf"
	"crypto/sha256"
	"testing"

	"pgregory.net/rapid"
)

// Keys are equal to those of the standard library, for secrets and purposes of any length.
func TestKeyIsHKDF(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		secret := rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(t, "secret")
		info := rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(t, "info")
		want, err := hkdf.Key(sha256.New, secret, nil, string(info), SeedSize)
		if err != nil {
			t.Fatal(err)
		}
		if got := key(secret, info); !bytes.Equal(got[:], want) {
			t.Fatalf("got %x, want %x", got, want)
		}
	})
}

// A mask allocates only its generator: a simulation of a large roster expands hundreds of
// thousands of masks per second.
func TestMasksTakeLittleMemory(t *testing.T) {
	for _, a := range arithmetics {
		units := make([]uint64, 600)
		if got := testing.AllocsPerRun(10, func() { a.mask(units, someMask, false) }); got > 1 {
			t.Errorf("%s: a mask takes %g allocations, want 1", a, got)
		}
	}
}

func BenchmarkKey(b *testing.B) {
	for b.Loop() {
		derive(someMask.Seed[:], ForChunk, someMask.Context)
	}
}
