// Package blas has the matrix kernels of the models' hot loops that can be faster than gonum's.
// [Implementation] has Dgemm, Sgemm, Dsyrk, Dtrsm and Dtrmm with gonum's signatures, in
// AVX-512, in AVX2 with FMA, or in plain Go.
//
// Invariant: an element of a result depends only on its row of A, its column of B and its C. It
// does not depend on the machine, kernel, shape, strides or GOMAXPROCS. It is
//
//	c = beta·c                                        rounded; 0 if beta is 0
//	s = fma(a[k+255], b[k+255], ... fma(a[k], b[k], 0))
//	c = fma(alpha, s, c)                              for k = 0, 256, 512, ...
//
// in the precision of the matrices. So members that compute from the same totals continue with
// the same bits (docs/adr/0014-products-are-defined-to-the-last-bit.md). The payload of a NaN
// is not defined. [Dot] and [AddScaled] are defined to the last bit too, Dot as a sum of 32
// chains.
//
// The generator in ../asm writes the assembly: run go generate. Build tag noasm leaves it out.
// Models call these routines directly and register nothing with gonum, because that choice
// belongs to the author of a program. Start reading at adder.
package blas
