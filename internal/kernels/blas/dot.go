package blas

import (
	"math"

	"github.com/collabdict/collabdict/internal/kernels/cpu"
)

// dotter sums x[i]·y[i] over n elements, at least 1, in 32 chains of fused multiply-adds that
// start at 0: chain l has the elements l, l+32, l+64 and so on. The result is the sum s₀ + 0 of
// the chains, where
//
//	s(l) = (chain(l) + chain(l+8)) + (chain(l+16) + chain(l+24))    l < 8
//	s(l) = s(l) + s(l+4), then s(l) + s(l+2), then s(l) + s(l+1)
//
// on every machine.
type dotter func(n int, x, y *float64) float64

// axpyer adds alpha·x to y with fused multiply-adds, over n elements, at least 1.
type axpyer func(n int, alpha float64, x, y *float64)

// chains is the number of chains of a dot product.
const chains = 32

// Dot returns the inner product of x and y, which have the same length. Its bits are the same
// on every machine, as dotter defines them.
func Dot(x, y []float64) float64 {
	if len(x) != len(y) {
		panic(errLength)
	}
	if len(x) == 0 {
		return 0
	}
	if vectors.dot == nil {
		return dotPortable(x, y)
	}
	return vectors.dot(len(x), &x[0], &y[0])
}

// AddScaled adds alpha·x to y, which have the same length: y_i = fma(alpha, x_i, y_i).
func AddScaled(y []float64, alpha float64, x []float64) {
	if len(x) != len(y) {
		panic(errLength)
	}
	if len(x) < short || vectors.axpy == nil {
		for i, v := range x {
			y[i] = math.FMA(alpha, v, y[i])
		}
		return
	}
	vectors.axpy(len(x), alpha, &x[0], &y[0])
}

// short is the length up to which a plain loop is faster than the call of a kernel.
const short = 8

const errLength = "blas: vectors differ in length"

// vectorKernel is one implementation of the operations on vectors; nil stands for plain Go.
type vectorKernel struct {
	dot  dotter
	axpy axpyer
}

// vectors is fixed for the process; only tests change it.
var vectors = vectorKernelOf(cpu.Active())

func dotPortable(x, y []float64) float64 {
	var s [chains]float64
	for ; len(x) >= chains; x, y = x[chains:], y[chains:] {
		a, b := (*[chains]float64)(x), (*[chains]float64)(y)
		for l := range s {
			s[l] = math.FMA(a[l], b[l], s[l])
		}
	}
	for l, v := range x {
		s[l] = math.FMA(v, y[l], s[l])
	}
	for l := range 8 {
		s[l] = (s[l] + s[l+8]) + (s[l+16] + s[l+24])
	}
	for _, half := range []int{4, 2, 1} {
		for l := range half {
			s[l] += s[l+half]
		}
	}
	return s[0] + 0
}
