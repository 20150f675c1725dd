// Package passes has the passes over rows that fits of Gaussian mixtures are made of:
// blocks of rows that are read, weighted, and added up to moments.
//
// Invariant: sums over rows run in a fixed order on fixed pieces, so results have the same
// bits whatever GOMAXPROCS is. Start reading at [Reader] and [Moments].
package passes
