package wire

import (
	"encoding/binary"
	"math"
)

// putValues encodes values as little-endian IEEE 754 doubles.
func putValues(values []float64) []byte {
	b := make([]byte, 8*len(values))
	for i, v := range values {
		binary.LittleEndian.PutUint64(b[8*i:], math.Float64bits(v))
	}
	return b
}

// values decodes what putValues wrote. All values must be finite.
func values(b []byte) ([]float64, error) {
	if len(b)%8 != 0 {
		return nil, malformed("values", len(b), "a multiple of 8 bytes")
	}
	v := make([]float64, len(b)/8)
	for i := range v {
		v[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
		if math.IsNaN(v[i]) || math.IsInf(v[i], 0) {
			return nil, malformed("values", v[i], "finite numbers")
		}
	}
	return v, nil
}

// digest decodes 32 bytes.
func digest(field string, b []byte) (d [32]byte, err error) {
	if len(b) != len(d) {
		return d, malformed(field, len(b), "32 bytes")
	}
	return [32]byte(b), nil
}

// ranks checks a list of members.
func ranks(field string, r []uint32) ([]uint32, error) {
	if len(r) > MaxMembers {
		return nil, malformed(field, len(r), "at most 65536 members")
	}
	return r, nil
}
