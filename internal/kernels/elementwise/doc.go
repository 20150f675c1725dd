// Package elementwise has the functions that neural networks apply to one number at a time, in
// float32: activations and their derivatives, optimiser steps, and sums over a row. They run in
// AVX-512, in AVX2, or in plain Go.
//
// Invariant: results have the same bits whatever the machine, kernel, length or GOMAXPROCS.
// Every operation is a single float32 operation of IEEE 754, rounded by itself: sum, product,
// quotient or square root. None are fused, so plain Go need not emulate anything. Sums over a
// row are 16 chains, added by halves. The payload of a NaN is not defined, but a NaN stays a
// NaN.
//
// Denormal numbers make many processors slow. In derivatives and in the moments of optimisers,
// where they would persist or be multiplied further, they are taken as 0
// (docs/adr/0018-networks-of-our-own.md).
//
// The generator in ../asm writes the assembly: run go generate. Build tag noasm leaves it out.
// Start reading at [Tanh], then kernels.
package elementwise
