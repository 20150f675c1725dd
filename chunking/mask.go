package chunking

import "math/rand/v2"

// Purpose says what a mask is. Masks of different purposes have nothing to do with
// each other, even with the same seed and context.
type Purpose string

const (
	// ForChunk is the purpose of a mask that Context.From takes from its vector
	// and Context.To adds to its own.
	ForChunk Purpose = "chunk"
	// ForPad is the purpose of a mask that seals the vector of Context.From, which
	// is Context.To as well, until the sum is committed.
	ForPad Purpose = "pad"
	// forLane is the purpose of the random vectors of [Layout.Lanes] and [Split].
	forLane Purpose = "lane"
)

// Mask is a random vector in short: all who know the seed expand it to the same
// units, by ChaCha8 under a key that HKDF-SHA256 derives from seed, purpose and
// context. In the rings and the field all words are uniform: a residue with a mask
// that is not known says nothing. In Float each value is the sum of four uniform
// 53-bit numbers less its mean, and of a value at its bound such a residue tells
// about 2^-41 nats, and with a probability below 2^-80 more.
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

// maskBlock is the most units that are drawn at a time, so that they stay in the
// cache. It is even: no value of two words is torn apart.
const maskBlock = 128

// source returns what the mask's units are drawn from.
func (m Mask) source() *rand.ChaCha8 { return rand.NewChaCha8(derive(m.Seed[:], m.Purpose, m.Context)) }

// mask adds a mask to units or takes it off, block by block.
func (a Arithmetic) mask(units []uint64, m Mask, off bool) {
	source := m.source()
	for len(units) > 0 {
		n := min(maskBlock, len(units))
		a.drawn(units[:n], source, off)
		units = units[n:]
	}
}

// drawn adds to units, up to maskBlock of them, what is drawn next, or takes it off.
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

// draw fills units with random ones. Which word gives which unit is part of the
// protocol: in Float the four words that come next, in the rings the next one, in
// the field the top 61 bits of the next one for which they are not p.
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

// uniformSums fills units with sums of uniform numbers, less their mean.
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
