// Package blas has the matrix kernels of the hot loops of the models, where they
// can be made faster than those of gonum: [Implementation] has Dgemm, Sgemm, Dsyrk,
// Dtrsm and Dtrmm as gonum declares them, in AVX-512, in AVX2 with FMA, or in plain Go.
//
// Invariant: an element of a result is a function of its row of A, its column of B
// and its C, whatever machine, kernel, shape, strides or GOMAXPROCS. It is
//
//	c = beta·c                                        rounded; 0 if beta is 0
//	s = fma(a[k+255], b[k+255], ... fma(a[k], b[k], 0))
//	c = fma(alpha, s, c)                              for k = 0, 256, 512, ...
//
// in the precision of the matrices, so that members that compute from the same
// totals go on with the same bits (docs/adr/0014-products-are-defined-to-the-last-bit.md).
// Of a NaN the payload is not defined. [Dot] and [AddScaled] are as well defined,
// the first as a sum of 32 chains.
//
// The assembly is written by the generator in ../asm: run go generate. Build
// tag noasm leaves it out. Models call these routines themselves: what is registered
// with gonum belongs to whoever writes the program. Start reading at adder.
package blas
