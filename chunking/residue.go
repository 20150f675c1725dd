package chunking

import (
	"math"
	"math/rand/v2"

	"github.com/collabdict/collabdict"
)

// Chunk is a seed that one member handed to another.
type Chunk struct {
	Context
	Seed [SeedSize]byte
}

// Residue returns what the member shows of its vector x: x, rounded to the grid,
// less the chunks that it handed out plus those that it was handed. In units of
// the grid the residues of all members add up to the sum of their vectors exactly;
// they are returned as float64, whose rounding says nothing more than they do. The
// values of x keep to the bounds of the blocks.
//
// A chunk's value is a sum of four uniform numbers, so of a value at its bound a
// residue with one chunk that is not known tells about 2^-41 nats, and with a
// probability below 2^-80 more.
func Residue(x []float64, blocks []collabdict.Block, handedOut, received []Chunk) []float64 {
	sum := make([]int64, len(x))
	rest := sum
	for _, b := range blocks {
		u := unit(b.Bound)
		for i := range rest[:b.Len] {
			rest[i] = int64(math.RoundToEven(x[len(x)-len(rest)+i] / u))
		}
		rest = rest[b.Len:]
	}
	for _, c := range handedOut {
		c.add(sum, -1)
	}
	for _, c := range received {
		c.add(sum, +1)
	}
	y := make([]float64, len(x))
	at := 0
	for _, b := range blocks {
		u := unit(b.Bound)
		for i := at; i < at+b.Len; i++ {
			y[i] = float64(sum[i]) * u
		}
		at += b.Len
	}
	return y
}

// add adds sign times the chunk to sums in units of the grid.
func (c Chunk) add(sum []int64, sign int64) {
	const mean = terms << (chunkBits - 1)
	key := derive(c.Seed[:], "chunk", c.Context)
	rng := rand.NewChaCha8(key)
	for i := range sum {
		var v int64
		for range terms {
			v += int64(rng.Uint64() >> (64 - chunkBits))
		}
		sum[i] += sign * (v - mean)
	}
}
