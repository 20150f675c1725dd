package chunking

import (
	"math"

	"github.com/collabdict/collabdict"
)

// Encode returns x in units, rounded half to even. It returns an error with the index of a
// value that is not finite or outside its bound.
func (l *Layout) Encode(x []float64) ([]uint64, error) {
	if err := collabdict.CheckBlocks(x, l.blocks); err != nil {
		return nil, err
	}
	units := make([]uint64, l.Words()) // the check stays zero
	i := 0
	for b := range l.blocks {
		c := &l.codes[b]
		for end := i + l.blocks[b].Len; i < end; i++ {
			l.put(units, i, c.round(x[i]))
		}
	}
	return units, nil
}

// put writes a whole number of units as value i.
func (l *Layout) put(units []uint64, i int, v float64) {
	switch l.arithmetic {
	case Ring128:
		u := wide(v)
		if v < 0 {
			u = u.negative()
		}
		units[2*i], units[2*i+1] = u.lo, u.hi
	case Field:
		n := int64(v)
		units[i] = uint64(n) + Prime&uint64(n>>63)
	default:
		units[i] = uint64(int64(v))
	}
}

// ToSession returns the words that a member enters into a session. In Float these are the units
// times the block's unit, as the bits of float64 values. In other arithmetics they are the
// units themselves, in the same memory.
//
// If a residue contains k masks, its rounding error in float64 is at most 2k units: k·2^54
// units times 2^-53.
func (l *Layout) ToSession(units []uint64) []uint64 {
	l.mustFit(units)
	if l.arithmetic != Float {
		return units
	}
	words := make([]uint64, len(units))
	i := 0
	for b := range l.blocks {
		for end := i + l.blocks[b].Len; i < end; i++ {
			words[i] = math.Float64bits(float64(int64(units[i])) * l.codes[b].session)
		}
	}
	return words
}

// FromSession returns the units of a session's total. In Float it rounds them to whole numbers
// and keeps them modulo 2^64, so the total of the vectors is right however large the masks are.
// In other arithmetics the units are the words themselves, in the same memory. Words that no
// session of honest members produces are an error.
func (l *Layout) FromSession(words []uint64) ([]uint64, error) {
	if err := l.Check(words); err != nil || l.arithmetic != Float {
		return words, err
	}
	units := make([]uint64, len(words))
	most := float64(l.size) * 0x1p63
	i := 0
	for b := range l.blocks {
		for end := i + l.blocks[b].Len; i < end; i++ {
			v := math.RoundToEven(math.Float64frombits(words[i]) / l.codes[b].session)
			if !(math.Abs(v) <= most) {
				return nil, &TotalError{Value: i}
			}
			units[i] = wide(v).lo
			if v < 0 {
				units[i] = -units[i]
			}
		}
	}
	return units, nil
}
