package dataset

import (
	"math"
	"strings"
)

// saysTotal reports whether a line begins with a word of sums or other figures, such as Total, in a file whose
// first line begins with a time or a number.
func saysTotal(cell, first string) bool {
	if !strings.ContainsAny(first, "0123456789") || strings.ContainsAny(cell, "0123456789") {
		return false
	}
	said := words(cell)
	return is(cell, "total") || len(said) > 1 && is(said[0], "total") // as in Sum of flows
}

// A summation has the last row of a file, and the sums of the rows above.
type summation struct {
	place  place
	last   []float64 // NaN for missing cells
	sums   []float64
	filled []int // values other than 0 in the sums
	rows   int   // rows in the sums
}

func (s *summation) add(row []float64, at place) {
	if s.last == nil {
		s.last, s.sums, s.filled = make([]float64, len(row)), make([]float64, len(row)), make([]int, len(row))
	} else {
		for j, v := range s.last {
			if !math.IsNaN(v) && v != 0 {
				s.sums[j] += v
				s.filled[j]++
			}
		}
		s.rows++
	}
	copy(s.last, row)
	s.place = at
}

// total reports whether each value of the last row is about the sum of those above, in enough rows that this is
// unlikely by chance.
func (s *summation) total() bool {
	some := false
	for j, v := range s.last {
		if math.Abs(v-s.sums[j]) > 1e-3*math.Abs(s.sums[j]) {
			return false
		}
		some = some || !math.IsNaN(v) && 2*s.filled[j] > s.rows
	}
	return some && s.rows >= suspectRows
}
