package chunking

import (
	"math/rand/v2"

	"github.com/collabdict/collabdict"
)

// Spread is the standard deviation of a chunk relative to the bound of the value
// it hides. A residue tells at most x²/(2σ²) nats of a value x: 2^-41 at the
// bound.
const Spread = 1 << 20

// Chunk is a seed that one member handed to another.
type Chunk struct {
	Context
	Seed [SeedSize]byte
}

// Residue returns what the member shows of its vector x: x less the chunks that
// it handed out plus those that it was handed. Residues of all members add up to
// the sum of their vectors, to the rounding of float64 at Spread times the
// bounds. The chunks are applied in the given order.
func Residue(x []float64, blocks []collabdict.Block, handedOut, received []Chunk) []float64 {
	y := append([]float64(nil), x...)
	for _, c := range handedOut {
		c.addTo(y, -1, blocks)
	}
	for _, c := range received {
		c.addTo(y, +1, blocks)
	}
	return y
}

// addTo adds sign times the chunk to y: independent Gaussian values of standard
// deviation Spread times the bound of their block.
func (c Chunk) addTo(y []float64, sign float64, blocks []collabdict.Block) {
	rng := rand.New(rand.NewChaCha8(derive(c.Seed[:], "chunk", c.Context)))
	for _, b := range blocks {
		sigma := sign * Spread * b.Bound
		for i := range y[:b.Len] {
			y[i] += sigma * rng.NormFloat64()
		}
		y = y[b.Len:]
	}
}
