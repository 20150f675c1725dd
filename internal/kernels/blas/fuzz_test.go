package blas

import (
	"encoding/binary"
	"math"
	"testing"

	"gonum.org/v1/gonum/blas"
)

// FuzzDgemm takes shapes, strides and the bits of all numbers from the fuzzer, and compares
// every kernel with the definition.
func FuzzDgemm(f *testing.F) {
	f.Add(uint8(0), uint8(8), uint8(24), uint16(10), 1.0, 0.0, []byte("shapes of whole tiles"))
	f.Add(uint8(1), uint8(9), uint8(25), uint16(1), -1.0, 1.0, []byte{0, 0, 0, 0, 0, 0, 0xf0, 0x7f})
	f.Add(uint8(6), uint8(7), uint8(13), uint16(depth+1), 0.5, math.Inf(1), []byte{1})
	f.Add(uint8(2), uint8(23), uint8(63), uint16(0), math.NaN(), -96.0, []byte("0")) // an empty sum adds nothing
	f.Add(uint8(16), uint8(1), uint8(63), uint16(0), math.NaN(), -96.0, []byte{})    // nor does it change a zero's sign
	f.Add(uint8(31), uint8(1), uint8(1), uint16(3), math.NaN(), 2.0, []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, bits, m, n uint8, k uint16, alpha, beta float64, seed []byte) {
		fuzzed(bits, m, n, k, alpha, beta).filled(repeated(seed)).check(t)
	})
}

// FuzzSgemm is FuzzDgemm for float32.
func FuzzSgemm(f *testing.F) {
	f.Add(uint8(0), uint8(8), uint8(48), uint16(10), float32(1), float32(0), []byte("shapes of whole tiles"))
	f.Add(uint8(1), uint8(9), uint8(49), uint16(1), float32(-1), float32(1), []byte{0, 0, 0, 0, 0, 0, 0x80, 0x7f})
	f.Add(uint8(6), uint8(7), uint8(25), uint16(depth+1), float32(0.5), float32(math.Inf(1)), []byte{1, 0, 0})
	f.Fuzz(func(t *testing.T, bits, m, n uint8, k uint16, alpha, beta float32, seed []byte) {
		bytes := repeated(seed)
		draw := func() float64 { return float64(math.Float32frombits(uint32(math.Float64bits(bytes())))) }
		fuzzed(bits, m, n, k, alpha, beta).filled(draw).check(t)
	})
}

func fuzzed[T number](bits, m, n uint8, k uint16, alpha, beta T) call[T] {
	return call[T]{
		tA: transposes[bits&1], tB: transposes[bits>>1&1], m: int(m % 40), n: int(n % 80), k: int(k) % (depth + 20),
		alpha: alpha, beta: beta, padA: int(bits >> 2 & 1), padB: int(bits >> 3 & 1), padC: int(bits >> 4 & 3),
	}
}

// FuzzTriangles takes the kinds and shapes of triangles and the bits of all numbers from the
// fuzzer, and compares every kernel with the definition.
func FuzzTriangles(f *testing.F) {
	f.Add(uint8(0), uint8(8), uint8(24), 1.0, []byte("some numbers"))
	f.Add(uint8(0x55), uint8(65), uint8(3), -2.0, []byte{0, 0, 0, 0, 0, 0, 0xf0, 0x7f})
	f.Add(uint8(0xaa), uint8(5), uint8(70), 0.5, []byte{})
	f.Fuzz(func(t *testing.T, bits, m, n uint8, alpha float64, seed []byte) {
		if alpha == 0 {
			return // gonum handles these
		}
		x := triangleCall{
			side: blas.Side("LR"[bits&1]), ul: blas.Uplo("UL"[bits>>1&1]), tA: transposes[bits>>2&1], diag: blas.Diag("NU"[bits>>3&1]),
			m: 1 + int(m%70), n: 1 + int(n%70), alpha: alpha,
		}
		draw := repeated(seed)
		x.lda, x.ldb = x.order()+int(bits>>4&3), x.n+int(bits>>6)
		x.a, x.b = make([]float64, x.order()*x.lda), make([]float64, x.m*x.ldb)
		for _, s := range [][]float64{x.a, x.b} {
			for i := range s {
				s[i] = draw()
			}
		}
		solved, multiplied := x.defined(x.solved), x.defined(x.multiplied)
		eachKernel(func(name string) {
			sameBits(t, name+" Dtrsm "+x.String(), x.dtrsm(Implementation{}), solved)
			sameBits(t, name+" Dtrmm "+x.String(), x.dtrmm(Implementation{}), multiplied)
		})
	})
}

// repeated returns the numbers in seed again and again, each time one byte later.
func repeated(seed []byte) func() float64 {
	at := 0
	return func() float64 {
		var b [8]byte
		for i := range b {
			if len(seed) > 0 {
				b[i] = seed[(at+i)%len(seed)]
			}
		}
		at += 9
		return math.Float64frombits(binary.LittleEndian.Uint64(b[:]))
	}
}
