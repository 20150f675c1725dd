package chunking

import (
	"math"
	"testing"

	"github.com/collabdict/collabdict"
	"pgregory.net/rapid"
)

// exchange hands out seeds as the members of a view do and returns the residues.
func exchange(xs [][]float64, blocks []collabdict.Block, fanout int, entropy byte) [][]float64 {
	size := len(xs)
	handedOut := make([][]Chunk, size)
	received := make([][]Chunk, size)
	for s := range size {
		c := Context{Slot: 7, From: s}
		secret := [32]byte{entropy, byte(s)}
		for _, to := range Partners(secret, c, size, fanout) {
			c.To = to
			chunk := Chunk{Context: c, Seed: Seed(secret, c)}
			handedOut[s] = append(handedOut[s], chunk)
			received[to] = append(received[to], chunk)
		}
	}
	ys := make([][]float64, size)
	for s := range size {
		ys[s] = Residue(xs[s], blocks, handedOut[s], received[s])
	}
	return ys
}

// In units of the grid the residues add up to the vectors exactly; what is left is
// the rounding of the vectors to the grid and of each residue to float64.
func TestResiduesAddUpToTheSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(2, 30).Draw(t, "size")
		fanout := Fanout(size, rapid.IntRange(2, 20).Draw(t, "chunks"))
		blocks := []collabdict.Block{{Len: 3, Bound: 1000}, {Len: 0, Bound: 1}, {Len: 2, Bound: 1e-3}}
		xs := make([][]float64, size)
		for s := range xs {
			for _, b := range blocks {
				for range b.Len {
					xs[s] = append(xs[s], b.Bound*rapid.Float64Range(-1, 1).Draw(t, "x"))
				}
			}
		}
		ys := exchange(xs, blocks, fanout, rapid.Byte().Draw(t, "entropy"))
		for i := range xs[0] {
			bound := 1000.0
			if i >= 3 {
				bound = 1e-3
			}
			u := unit(bound)
			var want, exact, units float64
			for s := range size {
				want += xs[s][i]
				exact += math.RoundToEven(xs[s][i] / u)
				units += ys[s][i] / u // in float64: off by the rounding of residues of about 2^57
			}
			if math.Abs(units-exact) > float64(size)*64 {
				t.Fatalf("coordinate %d: residues add up to %g units, want %g", i, units, exact)
			}
			if math.Abs(units*u-want) > float64(size)*65*u {
				t.Fatalf("coordinate %d: residues add up to %g, want %g", i, units*u, want)
			}
		}
	})
}

// sums returns the residues of one member in units of the grid, before they are
// rounded to float64.
func sums(length int, chunks ...Chunk) []int64 {
	sum := make([]int64, length)
	for _, c := range chunks {
		c.add(sum, 1)
	}
	return sum
}

// The expansion of a seed is part of the protocol: another one gives wrong sums
// between two versions.
func TestChunkVector(t *testing.T) {
	c := Chunk{Context: Context{Run: [32]byte{1}, Slot: 2, Ballot: 3, From: 4, To: 5}, Seed: [32]byte{6}}
	got := sums(3, c)
	want := []int64{-4446900747854081, 945938955673048, 5530910072209105}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("value %d: %d, want %d", i, got[i], want[i])
		}
	}
}
