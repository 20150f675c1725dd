package chunking

import (
	"fmt"
	"math"
	"slices"

	"github.com/collabdict/collabdict"
)

// maxSize is the largest size of a view: it leaves values 40 bits of a word.
const maxSize = 1 << 20

// Layout says how the vectors of a sum become words: a fixed-point exponent for
// each block, and after the values a check that adds up to zero. It follows from
// the arithmetic, the size of the view and the blocks alone, so it is the same at
// all members. A Layout is not modified after [NewLayout].
//
// The check is what tells a wrong total in a ring or in the field: a chunk that
// one side has lost, or expanded otherwise, leaves a uniform number, and of those
// up to all but a few are within the bounds. The check misses one in 2^61. In
// Float there is none: a lost chunk is 2^20 times the bound in every value.
type Layout struct {
	arithmetic Arithmetic
	size       int // members of the view
	values     int
	blocks     []collabdict.Block
	codes      []code // by block
}

// NewLayout returns the layout for sums over the given number of members. The
// exponent f of a block with bound B is the largest for which the sum of all
// members, S·round(B·2^f), is below half of the modulus; in Float it makes
// [Scale] 2^32 units. An error says which argument cannot be.
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

// Arithmetic returns the arithmetic of the layout.
func (l *Layout) Arithmetic() Arithmetic { return l.arithmetic }

// Words returns the number of words of a vector, which is that of its units, of
// what it shows in a session, and of pads and full chunks.
func (l *Layout) Words() int {
	if l.arithmetic == Float {
		return l.values
	}
	return (l.values + 1) * l.arithmetic.limbs()
}

// Exponent returns the exponent f of a block: a unit is 2^-f.
func (l *Layout) Exponent(block int) int { return l.codes[block].exponent }

// Error returns the largest error that a total's values of a block have because
// vectors are rounded to units: half a unit a member, S·2^(-f-1); in Float another
// half for the session's total. The rounding of the total to float64 comes on top,
// and in Float what the session makes of averaging float64.
func (l *Layout) Error(block int) float64 {
	halves := float64(l.size)
	if l.arithmetic == Float {
		halves++
	}
	return math.Ldexp(halves, -l.codes[block].exponent-1)
}

// Add adds words to units: a full chunk, or pads that others have added up.
func (l *Layout) Add(units, words []uint64) {
	l.mustFit(units)
	l.arithmetic.add(units, words)
}

// Subtract subtracts words from units.
func (l *Layout) Subtract(units, words []uint64) {
	l.mustFit(units)
	l.arithmetic.subtract(units, words)
}

// Check reports units from another member that do not have the right number of
// words, or words that are not in the field.
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
