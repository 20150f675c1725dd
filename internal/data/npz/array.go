package npz

import (
	"encoding/binary"
	"math"
	"slices"
)

// Number is a type of array element.
type Number interface{ float64 | int64 | uint8 }

// Array is a dense array in C order: the last index varies fastest. An empty shape is a single
// number.
type Array[T Number] struct {
	Shape []int
	Data  []T
}

// maxRank is NumPy's limit for a .npy file of version 1.0.
const maxRank = 32

// elements returns the product of shape. ok is false if shape is invalid or has more than limit
// elements.
func elements(shape []int, limit int64) (n int64, ok bool) {
	if len(shape) > maxRank {
		return 0, false
	}
	if slices.Contains(shape, 0) {
		return 0, slices.Min(shape) == 0
	}
	n = 1
	for _, d := range shape {
		if d < 0 || int64(d) > limit/n {
			return 0, false
		}
		n *= int64(d)
	}
	return n, true
}

// descr is NumPy's name of the element type; size its bytes.
func descr[T Number]() (name string, size int64) {
	switch any(T(0)).(type) {
	case float64:
		return "<f8", 8
	case int64:
		return "<i8", 8
	}
	return "|u1", 1
}

func appendData[T Number](b []byte, data []T) []byte {
	switch data := any(data).(type) {
	case []float64:
		for _, v := range data {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
	case []int64:
		for _, v := range data {
			b = binary.LittleEndian.AppendUint64(b, uint64(v))
		}
	case []uint8:
		b = append(b, data...)
	}
	return b
}

// parseData is the inverse of appendData; len(b) is len(dst) times the size.
func parseData[T Number](dst []T, b []byte) {
	switch dst := any(dst).(type) {
	case []float64:
		for i := range dst {
			dst[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
		}
	case []int64:
		for i := range dst {
			dst[i] = int64(binary.LittleEndian.Uint64(b[8*i:]))
		}
	case []uint8:
		copy(dst, b)
	}
}
