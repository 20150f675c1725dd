package consensus

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
)

// digestOfValues returns the SHA-256 of the values as little-endian IEEE 754.
func digestOfValues(values []float64) [32]byte {
	h := sha256.New()
	buf := make([]byte, 0, 4096)
	for _, v := range values {
		if buf = binary.LittleEndian.AppendUint64(buf, math.Float64bits(v)); len(buf) == cap(buf) {
			h.Write(buf)
			buf = buf[:0]
		}
	}
	h.Write(buf)
	return [32]byte(h.Sum(nil))
}

// digestOfBlobs returns the SHA-256 over the blobs' SHA-256 by rank.
func digestOfBlobs(blobs [][]byte) [32]byte {
	h := sha256.New()
	for _, b := range blobs {
		sum := sha256.Sum256(b)
		h.Write(sum[:])
	}
	return [32]byte(h.Sum(nil))
}

// relativeDifference returns ‖a-b‖₂ / ‖b‖₂, or ‖a-b‖₂ if b is zero.
func relativeDifference(a, b []float64) float64 {
	var diff, norm float64
	for i := range a {
		d := a[i] - b[i]
		diff += float64(d * d)
		norm += float64(b[i] * b[i])
	}
	if norm == 0 {
		return math.Sqrt(diff)
	}
	return math.Sqrt(diff / norm)
}
