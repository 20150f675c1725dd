// Package mixture has the inner loops of expectation maximisation for Gaussian mixtures:
// densities, responsibilities and weighted sums of a block of rows that stays in the cache.
// They run in AVX-512, in AVX2 with FMA, or in plain Go.
//
// Rows are turned into panels of 8, so that a vector holds one variable of several rows. The
// value of a row is one chain of operations and does not depend on the rows beside it. Sums
// over rows are 8 chains, one for each place in a panel, which a fixed tree adds at the end of
// a block.
//
// Invariant: results have the same bits whatever the machine, kernel or GOMAXPROCS
// (docs/adr/0015-the-em-pass-is-fused.md). The payload of a NaN is not defined.
//
// The generator in ../asm writes the assembly: run go generate. Build tag noasm leaves it out.
// Start reading at [Workspace].
package mixture
