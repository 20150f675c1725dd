package chunking

import (
	"fmt"
	"math"
	"slices"

	"github.com/collabdict/collabdict"
)

// maxSize is the largest size of a view. It leaves 40 bits of a word for values.
const maxSize = 1 << 20

// A Layout is the mapping between the vectors of a sum and words: a fixed-point exponent for
// each block and, after the values, a check that adds up to zero. It depends only on the
// arithmetic, the size of the view and the blocks, so it is the same at all members. A Layout
// is not modified after [NewLayout].
//
// In a ring or the field, the check detects a wrong total. If one side loses a chunk or expands
// it differently, the result is uniformly random, and nearly all such values are within the
// bounds. The check misses one in 2^61. Float needs no check: a lost chunk changes every value
// by about 2^20 times the bound.
type Layout struct {
	arithmetic Arithmetic
	size       int // members of the view
	values     int
	blocks     []collabdict.Block
	codes      []code // by block
}

// NewLayout returns the layout for sums over the given number of members. The exponent f of a
// block with bound B is the largest for which the sum of all members, S·round(B·2^f), is below
// half the modulus. In Float, [Scale] is 2^32 units. The error names the invalid argument.
func NewLayout(a Arithmetic, size int, blocks []collabdict.Block) (*Layout, error) {
	switch a {
	case Float, Ring, Ring128, Field:
	default:
		return nil, fmt.Errorf("arithmetic: want %q, %q, %q or %q, got %q", Float, Ring, Ring128, Field, a)
	}
	if size < 1 || size > maxSize {
		return nil, fmt.Errorf("layout: want 1 to %d members, got %d", maxSize, size)
	}
	l := &Layout{arithmetic: a, size: size, blocks: slices.Clone(blocks)}
	for i, b := range blocks {
		most := math.MaxFloat64 / float64(2*size)
		if b.Len < 0 || !(b.Bound > 0) || b.Bound > most {
			return nil, fmt.Errorf("block %d: want a length of at least 0 and a bound above 0 and up to %g, so that the sum of %d members is finite; got %d and %g", i, most, size, b.Len, b.Bound)
		}
		l.values += b.Len
		l.codes = append(l.codes, newCode(a, size, b.Bound))
	}
	return l, nil
}

// Words returns the number of words of a vector: of its units, its session words, its pads and
// its full chunks.
func (l *Layout) Words() int {
	if l.arithmetic == Float {
		return l.values
	}
	return (l.values + 1) * l.arithmetic.limbs()
}

// Exponent returns the exponent f of a block: a unit is 2^-f.
func (l *Layout) Exponent(block int) int { return l.codes[block].exponent }

// Error returns the largest error of a block's totals that results from rounding vectors to
// units: half a unit per member, S·2^(-f-1), and in Float another half for the session's total.
// The rounding of the total to float64 is extra, and so is the error of averaging float64 in
// Float.
func (l *Layout) Error(block int) float64 {
	halves := float64(l.size)
	if l.arithmetic == Float {
		halves++
	}
	return math.Ldexp(halves, -l.codes[block].exponent-1)
}

// Add adds words to units. The words are a full chunk, or a sum of pads.
func (l *Layout) Add(units, words []uint64) {
	l.mustFit(units)
	l.arithmetic.add(units, words)
}

// Subtract subtracts words from units.
func (l *Layout) Subtract(units, words []uint64) {
	l.mustFit(units)
	l.arithmetic.subtract(units, words)
}

// Check returns an error if units have the wrong number of words, or words outside the field.
func (l *Layout) Check(units []uint64) error {
	if len(units) != l.Words() {
		return fmt.Errorf("vector: want %d words, got %d", l.Words(), len(units))
	}
	if l.arithmetic != Field {
		return nil
	}
	for i, w := range units {
		if w >= Prime {
			return fmt.Errorf("vector: want words below 2^61-1, got %d as word %d", w, i)
		}
	}
	return nil
}

func (l *Layout) mustFit(units []uint64) {
	if len(units) != l.Words() {
		panic(fmt.Sprintf("chunking: got %d words, want %d", len(units), l.Words()))
	}
}
