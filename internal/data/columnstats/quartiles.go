package columnstats

import (
	"math"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/numeric/lanes"
)

// Quartiles are searched in cells of the ordered floating-point numbers, whatever their size. Each
// pass over the rows finds cellBits more bits, so the memory does not depend on the number of
// rows.
const (
	cellBits    = 8
	cellsOfBits = 1 << cellBits
)

// A bracket is the interval in which a quartile of a column is searched: the numbers whose first
// bits are known.
type bracket struct {
	Column int
	First  uint64 // the first number
}

// brackets have the same number of bits known.
type brackets struct {
	Each []bracket
	Bits int
}

// shift returns the width, in bits, of the cells within the brackets.
func (s brackets) shift() int { return 64 - s.Bits - cellBits }

// present counts the values of each column.
var present = lanes.NewJob("values present", func(l *lanes.Lane, _ struct{}) ([]float64, error) {
	count := make([]float64, l.Dim)
	return count, l.Each(func(row []float64) {
		for j, v := range row {
			if !math.IsNaN(v) {
				count[j]++
			}
		}
	})
})

// within counts, for each bracket in turn, the values in each of its cells.
var within = lanes.NewJob("values in brackets", func(l *lanes.Lane, s brackets) ([]float64, error) {
	counts := make([]float64, len(s.Each)*cellsOfBits)
	return counts, l.Each(func(row []float64) {
		for i, c := range s.Each {
			v := row[c.Column]
			key := ordered(v)
			if math.IsNaN(v) || s.Bits > 0 && (key^c.First)>>(64-s.Bits) != 0 {
				continue
			}
			counts[i*cellsOfBits+int(key>>s.shift()&(cellsOfBits-1))]++
		}
	})
})

// OwnQuartiles returns the first, second and third quartile of each column of one member's rows,
// without a group. NaN cells are missing and do not count.
func OwnQuartiles(rows collabdict.Rows) (first, second, third []float64, err error) {
	_, dim := rows.Dims()
	count, err := lanes.Sum(present, rows, struct{}{})
	if err != nil {
		return nil, nil, nil, err
	}
	var s brackets
	var want []float64 // number of rows below each quartile
	for q := range 3 {
		for j, n := range count {
			s.Each = append(s.Each, bracket{Column: j})
			want = append(want, float64(q+1)/4*n)
		}
	}
	below := make([]float64, len(want)) // number of rows below each bracket
	for ; s.Bits < 64; s.Bits += cellBits {
		counts, err := lanes.Sum(within, rows, s)
		if err != nil {
			return nil, nil, nil, err
		}
		for i := range s.Each {
			next := 0
			for c, n := range counts[i*cellsOfBits : (i+1)*cellsOfBits] {
				if n == 0 {
					continue
				}
				if next = c; below[i]+n >= want[i] {
					break
				}
				below[i] += n
			}
			s.Each[i].First |= uint64(next) << s.shift()
		}
	}
	values := make([]float64, len(s.Each))
	for i, c := range s.Each {
		values[i] = unordered(c.First)
	}
	return values[:dim:dim], values[dim : 2*dim : 2*dim], values[2*dim:], nil
}

// ordered maps floating-point numbers to whole numbers in the same order; unordered is its
// inverse. Both zeros map to one number.
func ordered(v float64) uint64 {
	bits := math.Float64bits(v + 0)
	if bits>>63 != 0 {
		return ^bits
	}
	return bits | 1<<63
}

func unordered(key uint64) float64 {
	if key>>63 != 0 {
		return math.Float64frombits(key &^ (1 << 63))
	}
	return math.Float64frombits(^key)
}
