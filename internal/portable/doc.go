// Package portable is arithmetic whose bits are defined: the same arguments
// give the same result on every machine and whatever the compiler fuses. Members
// that draw the same rows from the same seed, each for itself, need that; the
// functions of package math differ in their last bits between architectures.
//
// Only operations that IEEE 754 rounds correctly are used: + − × ÷ and the square
// root, sums in the written order, and each product rounded by an explicit
// conversion, which also keeps it from being fused with what a caller adds to it.
//
// Start reading at [Normal].
package portable
