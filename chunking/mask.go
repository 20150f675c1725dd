package chunking

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
	l.arithmetic.each(units, m.source(), l.arithmetic.add)
}

// SubtractMask subtracts a mask from units.
func (l *Layout) SubtractMask(units []uint64, m Mask) {
	l.mustFit(units)
	l.arithmetic.each(units, m.source(), l.arithmetic.subtract)
}

// source draws uniform words.
type source func(words []uint64) error

// source returns the words that a mask is made of. They never end in an error.
func (m Mask) source() source {
	words := newStream(derive(m.Seed[:], m.Purpose, m.Context))
	return func(room []uint64) error {
		words.fill(room)
		return nil
	}
}

// each applies random units to units, block by block, so that what is drawn stays
// in the cache.
func (a Arithmetic) each(units []uint64, s source, apply func(dst, src []uint64)) error {
	const block = 128 // even: no value of two words is torn apart
	n := min(block, len(units))
	mask := make([]uint64, n)
	var words []uint64
	if a == Float {
		words = make([]uint64, terms*n)
	}
	for len(units) > 0 {
		n = min(n, len(units))
		if err := a.draw(mask[:n], words, s); err != nil {
			return err
		}
		apply(units[:n], mask[:n])
		units = units[n:]
	}
	return nil
}

// draw fills units with random ones. Which word gives which unit is part of the
// protocol: in Float the four words that come next, in the rings the next one, in
// the field the top 61 bits of the next one for which they are not p. words is
// room for those of Float.
func (a Arithmetic) draw(units, words []uint64, s source) error {
	switch a {
	case Float:
		return uniformSums(units, words[:terms*len(units)], s)
	case Field:
		for len(units) > 0 {
			if err := s(units); err != nil {
				return err
			}
			n := 0
			for _, w := range units {
				if units[n] = w >> 3; units[n] != Prime {
					n++
				}
			}
			units = units[n:]
		}
		return nil
	}
	return s(units)
}

// uniformSums fills units with sums of uniform numbers, less their mean.
func uniformSums(units, words []uint64, s source) error {
	const (
		drop = 64 - chunkBits
		mean = terms << (chunkBits - 1)
	)
	if err := s(words); err != nil {
		return err
	}
	for i := range units {
		w := words[terms*i : terms*i+terms : terms*i+terms]
		units[i] = w[0]>>drop + w[1]>>drop + w[2]>>drop + w[3]>>drop - mean
	}
	return nil
}
