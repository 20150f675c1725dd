package local

import (
	"encoding/binary"
	"math"
)

// Known finds the rows of a [Nearest] that occur there once. Each is its own nearest row, so its score is too
// low. A row that occurs twice is near its twin even if it is left out, as for a calibration. Known is safe for
// concurrent use.
type Known struct {
	index map[string]int // by the bits of the values; twice for a row that occurs more than once
}

const twice = -1

// Known returns the kept rows for comparison with others.
func (n *Nearest) Known() *Known {
	n.once.Do(func() {
		count, dim := n.rows.Dims()
		n.known = &Known{make(map[string]int, count)}
		key := make([]byte, 0, 8*dim)
		for i := range count {
			key = bits(key[:0], n.rows.RawRowView(i))
			at := i
			if _, is := n.known.index[string(key)]; is {
				at = twice
			}
			n.known.index[string(key)] = at
		}
	})
	return n.known
}

// Find returns the index of a row among the kept rows, if it is one of them in every bit.
func (k *Known) Find(row []float64) (index int, found bool) {
	var buffer [512]byte
	index, found = k.index[string(bits(buffer[:0], row))]
	return index, found && index != twice
}

// bits appends the bits of values.
func bits(to []byte, row []float64) []byte {
	for _, v := range row {
		to = binary.LittleEndian.AppendUint64(to, math.Float64bits(v))
	}
	return to
}
