// Package passes makes the passes over rows for fits of Gaussian mixtures: it reads blocks of
// rows, weights them and adds them up to moments.
//
// Invariant: sums over rows run in a fixed order on fixed pieces, so results have the same bits
// whatever GOMAXPROCS is. Start reading at [Reader] and [Moments].
package passes
