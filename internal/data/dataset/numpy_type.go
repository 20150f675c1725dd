package dataset

import (
	"bytes"
	"encoding/binary"
	"math"
	"strconv"
	"strings"
)

// numpyType decodes the elements of a NumPy type.
type numpyType struct {
	kind kind
	// number is set for numbers, text for all kinds except kindOther.
	number func(b []byte) float64
	text   func(b []byte) string
	// doubles reports whether values are little-endian float64.
	doubles bool
}

// numpyTypeOf returns the decoder of a type such as <f8: byte order, kind, bytes.
func numpyTypeOf(name string) numpyType {
	var order binary.ByteOrder = binary.LittleEndian
	if name[0] == '>' {
		order = binary.BigEndian
	}
	switch name[1:] {
	case "f8":
		t := numpyNumber(func(b []byte) float64 { return math.Float64frombits(order.Uint64(b)) })
		t.doubles = order == binary.LittleEndian
		return t
	case "f4":
		return numpyNumber(func(b []byte) float64 { return float64(math.Float32frombits(order.Uint32(b))) })
	case "f2":
		return numpyNumber(func(b []byte) float64 { return half(order.Uint16(b)) })
	case "b1", "u1":
		return numpyNumber(func(b []byte) float64 { return float64(b[0]) })
	case "i1":
		return numpyNumber(func(b []byte) float64 { return float64(int8(b[0])) })
	case "u2":
		return numpyNumber(func(b []byte) float64 { return float64(order.Uint16(b)) })
	case "i2":
		return numpyNumber(func(b []byte) float64 { return float64(int16(order.Uint16(b))) })
	case "u4":
		return numpyNumber(func(b []byte) float64 { return float64(order.Uint32(b)) })
	case "i4":
		return numpyNumber(func(b []byte) float64 { return float64(int32(order.Uint32(b))) })
	case "u8":
		t := numpyNumber(func(b []byte) float64 { return float64(order.Uint64(b)) })
		t.text = func(b []byte) string { return strconv.FormatUint(order.Uint64(b), 10) }
		return t
	case "i8":
		t := numpyNumber(func(b []byte) float64 { return float64(int64(order.Uint64(b))) })
		t.text = func(b []byte) string { return strconv.FormatInt(int64(order.Uint64(b)), 10) }
		return t
	}
	switch name[1] {
	case 'S':
		return numpyType{kind: kindText, text: func(b []byte) string { return string(bytes.TrimSpace(bytes.TrimRight(b, "\x00"))) }}
	case 'U':
		return numpyType{kind: kindText, text: func(b []byte) string { return utf32(b, order) }}
	}
	return numpyType{}
}

func numpyNumber(number func(b []byte) float64) numpyType {
	return numpyType{kind: kindNumber, number: number, text: func(b []byte) string { return shortest(number(b)) }}
}

// half converts b from IEEE 754 binary16.
func half(b uint16) float64 {
	exponent, fraction := int(b>>10&0x1f), float64(b&0x3ff)
	v := math.Ldexp(fraction+1024, exponent-25)
	switch {
	case exponent == 0:
		v = math.Ldexp(fraction, -24)
	case exponent == 31 && fraction == 0:
		v = math.Inf(1)
	case exponent == 31:
		v = math.NaN()
	}
	if b>>15 == 1 {
		return -v
	}
	return v
}

// utf32 decodes text padded with zeros.
func utf32(b []byte, order binary.ByteOrder) string {
	var s strings.Builder
	for ; len(b) > 0; b = b[4:] {
		if r := order.Uint32(b); r != 0 {
			s.WriteRune(rune(r))
		}
	}
	return strings.TrimSpace(s.String())
}

// numbers writes n values, size bytes apart, to x[0], x[stride] and so on.
func (t *numpyType) numbers(x []float64, stride int, b []byte, size, n int) {
	if t.doubles {
		for i := range n {
			x[i*stride] = math.Float64frombits(binary.LittleEndian.Uint64(b[i*size:]))
		}
		return
	}
	for i := range n {
		x[i*stride] = t.number(b[i*size:])
	}
}
