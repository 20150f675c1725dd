package chunking

import (
	"math/rand/v2"
	"sync"
)

// A Purpose is the use of a mask. Masks with different purposes are independent, even with the
// same seed and context.
type Purpose string

const (
	// ForChunk is a mask that Context.From subtracts from its vector and Context.To adds to its
	// own.
	ForChunk Purpose = "chunk"
	// ForPad is a mask that seals the vector of Context.From until the sum is decided.
	// Context.To is the same member.
	ForPad Purpose = "pad"
	// forLane is a random vector of [Layout.Lanes] or [Split].
	forLane Purpose = "lane"
)

// A Mask is the short form of a random vector. Everybody with the seed expands it to the same
// units, by ChaCha8 under a key that HKDF-SHA256 derives from seed, purpose and context.
//
// In the rings and the field all words are uniform, so a residue with an unknown mask reveals
// nothing. In Float each value is the sum of four uniform 53-bit numbers minus its mean. For a
// value at its bound, such a residue reveals about 2^-41 nats, and more with a probability
// below 2^-80.
type Mask struct {
	Context
	Purpose Purpose
	Seed    [SeedSize]byte
}

// AddMask adds a mask to units.
func (l *Layout) AddMask(units []uint64, m Mask) {
	l.mustFit(units)
	l.arithmetic.mask(units, m, false)
}

// SubtractMask subtracts a mask from units.
func (l *Layout) SubtractMask(units []uint64, m Mask) {
	l.mustFit(units)
	l.arithmetic.mask(units, m, true)
}

// maskBlock is the largest number of units drawn at a time, so that they stay in the cache. It
// is even, so values of two words are never split.
const maskBlock = 128

// key returns the key of the random source of the mask's units.
func (m Mask) key() [32]byte { return derive(m.Seed[:], m.Purpose, m.Context) }

// sources has the memory of random sources that no goroutine uses. A sum expands a mask per chunk.
var sources = sync.Pool{New: func() any { return new(rand.ChaCha8) }}

// mask adds a mask to units, or subtracts it if off, block by block.
func (a Arithmetic) mask(units []uint64, m Mask, off bool) {
	source := sources.Get().(*rand.ChaCha8)
	defer sources.Put(source)
	source.Seed(m.key())
	for len(units) > 0 {
		n := min(maskBlock, len(units))
		a.drawn(units[:n], source, off)
		units = units[n:]
	}
}

// drawn draws the next units, at most maskBlock, and adds them to units, or subtracts them if
// off.
func (a Arithmetic) drawn(units []uint64, source *rand.ChaCha8, off bool) {
	var room [maskBlock]uint64
	block := room[:len(units)]
	a.draw(block, source)
	if off {
		a.subtract(units, block)
	} else {
		a.add(units, block)
	}
}

// draw fills units with random ones. The words that a unit is made from are part of the
// protocol: in Float the next four, in the rings the next one. In the field, a unit is the top
// 61 bits of the next word for which these are not p.
func (a Arithmetic) draw(units []uint64, rng *rand.ChaCha8) {
	switch a {
	case Float:
		uniformSums(units, rng)
	case Field:
		fieldElements(units, rng)
	default:
		for i := range units {
			units[i] = rng.Uint64()
		}
	}
}

// fieldElements fills units with elements of the field.
func fieldElements(units []uint64, rng rand.Source) {
	for i := range units {
		for units[i] = rng.Uint64() >> 3; units[i] == Prime; {
			units[i] = rng.Uint64() >> 3
		}
	}
}

// uniformSums fills units with sums of uniform numbers, minus their mean.
func uniformSums(units []uint64, rng *rand.ChaCha8) {
	const (
		drop = 64 - chunkBits
		mean = terms << (chunkBits - 1)
	)
	for i := range units {
		var sum uint64
		for range terms {
			sum += rng.Uint64() >> drop
		}
		units[i] = sum - mean
	}
}
