// Package mixture has the inner loops of expectation maximisation for Gaussian
// mixtures: densities, responsibilities and weighted sums of a block of rows that
// stays in the cache, in AVX-512, in AVX2 with FMA, or in plain Go.
//
// Rows are turned into panels of 8, so that a vector holds one variable of several
// rows: the value of a row is one chain of operations, and no function of the rows
// beside it. Sums over rows are 8 chains, one for each place in a panel, that are added
// by a fixed tree at the end of a block.
//
// Invariant: results have the same bits whatever machine, kernel or GOMAXPROCS
// (docs/adr/0015-the-em-pass-is-fused.md). Of a NaN the payload is not defined.
//
// The assembly is written by the generator in ../asm: run go generate. Build
// tag noasm leaves it out. Start reading at [Workspace].
package mixture
