package vae

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
)

// Digest returns the SHA-256 of weights, in little-endian order.
func Digest(values []float32) [32]byte {
	h := sha256.New()
	buf := make([]byte, 0, 4096)
	for _, v := range values {
		if buf = binary.LittleEndian.AppendUint32(buf, math.Float32bits(v)); len(buf) == cap(buf) {
			h.Write(buf)
			buf = buf[:0]
		}
	}
	h.Write(buf)
	return [32]byte(h.Sum(nil))
}
