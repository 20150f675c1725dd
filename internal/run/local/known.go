package local

import (
	"encoding/binary"
	"math"
)

// Known holds the rows among those of a [Nearest] that occur there once. Their scores are too low: each is
// its own nearest row. A row that occurs twice is near its twin even if it is left out, as for a calibration.
type Known struct {
	times map[string]int // by the bits of the values
	key   []byte
}

// Known returns the kept rows for comparison with others.
func (n *Nearest) Known() *Known {
	k := &Known{times: map[string]int{}}
	count, _ := n.rows.Dims()
	for i := range count {
		k.set(n.rows.RawRowView(i))
		k.times[string(k.key)]++
	}
	return k
}

// Has reports whether a row is one of the kept rows, in every bit.
func (k *Known) Has(row []float64) bool {
	k.set(row)
	return k.times[string(k.key)] == 1
}

func (k *Known) set(row []float64) {
	k.key = k.key[:0]
	for _, v := range row {
		k.key = binary.LittleEndian.AppendUint64(k.key, math.Float64bits(v))
	}
}
