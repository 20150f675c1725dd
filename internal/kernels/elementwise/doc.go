// Package elementwise has the functions that neural networks apply to one number at
// a time, in float32: activations with their derivatives, steps of optimisers, and sums
// over a row, in AVX-512, in AVX2, or in plain Go.
//
// Invariant: results have the same bits whatever machine, kernel, length or GOMAXPROCS.
// Every operation is one of IEEE 754 in float32, rounded by itself: sums, products,
// quotients and square roots, none of them fused, so that plain Go need not emulate
// anything. Sums over a row are 16 chains, added up by halves. Of a NaN the payload is
// not defined; that it is one is kept.
//
// Denormal numbers make many processors slow: what is so small is taken as 0 where it
// would stay or be multiplied on, in derivatives and in the moments of optimisers
// (docs/adr/0018-networks-of-our-own.md).
//
// The assembly is written by the generator in ../asm: run go generate. Build
// tag noasm leaves it out. Start reading at [Tanh], then kernels.
package elementwise
