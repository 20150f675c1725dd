// Package portable provides arithmetic with defined bits: the same arguments give the same
// result on every machine and with every compiler. Members that draw the same rows from the
// same seed, each for itself, need that; functions of package math differ in their last bits
// between architectures.
//
// It uses only operations that IEEE 754 rounds correctly: + − × ÷ and the square root, and sums
// in the written order. An explicit conversion rounds each product, and prevents the compiler
// from fusing it with an addition. Vectors and matrices with defined bits are in packages blas and
// lapack.
//
// Start reading at [Normal].
package portable
