// Package gmm has Gaussian mixtures: density, scores and samples ([Mixture]) and
// maximum likelihood by EM ([Fit]). The packages below it learn mixtures over a group.
//
// Rows are a *mat.Dense, one row per sample, or, where there may be too many for the
// memory, a source of [Rows] that is read block by block. Invariants: a [Mixture] never
// changes; data is never modified; the package reads no clock, file, socket or global
// random source. Sums over rows run in a fixed order on fixed pieces, so results have
// the same bits for any GOMAXPROCS.
//
// Start reading at [Fit] and [Mixture]; model.go says how the program uses one, and reads it from
// files, density.go and internal/passes have the passes over rows. The inner loops are
// those of internal/kernels/mixture.
package gmm
