package columnstats

import (
	"math"

	"github.com/collabdict/collabdict"
)

// wordBits is the number of bits of a value's first word below its bound. A running total
// rounds each of the two words separately; with this split it keeps more bits, also with
// thousands of members.
const wordBits = 8

// split returns values as two words each, all first words and then all second ones, with their
// blocks. Rounding is relative to a word's bound, and the mean may be far from 0 compared with
// the deviation.
func split(x []float64, blocks []collabdict.Block) ([]float64, []collabdict.Block) {
	low := make([]float64, len(x))
	out := append([]float64(nil), x...)
	words := append([]collabdict.Block(nil), blocks...)
	at := 0
	for _, b := range blocks {
		_, exp := math.Frexp(b.Bound)
		unit := math.Ldexp(1, exp-wordBits)
		for end := at + b.Len; at < end; at++ {
			out[at] = math.Trunc(x[at]/unit) * unit
			low[at] = x[at] - out[at]
		}
		words = append(words, collabdict.Block{Len: b.Len, Bound: unit, Moment: collabdict.LowWords})
	}
	return append(out, low...), words
}

// join is the opposite of split.
func join(x []float64) []float64 {
	out := append([]float64(nil), x[:len(x)/2]...)
	for i, low := range x[len(x)/2:] {
		out[i] += low
	}
	return out
}
