package wire

import (
	"encoding/binary"
	"math"
)

// putWords encodes words in little endian.
func putWords(words []uint64) []byte {
	b := make([]byte, 8*len(words))
	for i, w := range words {
		binary.LittleEndian.PutUint64(b[8*i:], w)
	}
	return b
}

// putValues encodes values as little-endian IEEE 754 doubles.
func putValues(values []float64) []byte {
	b := make([]byte, 8*len(values))
	for i, v := range values {
		binary.LittleEndian.PutUint64(b[8*i:], math.Float64bits(v))
	}
	return b
}
