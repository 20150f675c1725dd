package attack

import (
	"math/bits"

	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/internal/privacy/exposure"
)

// solveExact returns the weights of each residue that follows from the rows.
func solveExact(a chunking.Arithmetic, rows [][]uint64) map[int][]uint64 {
	e := exposure.Elimination{Field: a == chunking.Field}
	for i, row := range rows {
		from := make([]uint64, len(rows))
		from[i] = 1
		e.Add(row, from)
	}
	return e.Determined()
}

// mixExact returns the combination of observed words.
func mixExact(a chunking.Arithmetic, weights []uint64, data [][]uint64) []uint64 {
	y := make([]uint64, len(data[0]))
	for i, w := range weights {
		switch {
		case w == 0:
		case a == chunking.Field:
			for j, v := range data[i] {
				y[j] = chunking.FieldAdd(y[j], chunking.FieldMul(v, w))
			}
		case a == chunking.Ring128:
			addWide(y, data[i], w)
		default:
			for j, v := range data[i] {
				y[j] += v * w
			}
		}
	}
	return y
}

// addWide adds a multiple of values of two words each. The weight is a number of the ring of
// 2^64, in which small negative numbers are large; it is taken modulo 2^128.
func addWide(y, x []uint64, weight uint64) {
	high := uint64(int64(weight) >> 63)
	for j := 0; j+1 < len(y); j += 2 {
		hi, lo := bits.Mul64(x[j], weight)
		hi += x[j]*high + x[j+1]*weight
		var carry uint64
		y[j], carry = bits.Add64(y[j], lo, 0)
		y[j+1], _ = bits.Add64(y[j+1], hi, carry)
	}
}
