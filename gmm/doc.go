// Package gmm is Gaussian mixtures: density, scores and samples ([Mixture]),
// maximum likelihood by EM ([Fit]), and the mixture of sparse Gaussian graphical
// models that participants learn together ([Learner], after Idé, Phan and Raymond
// 2024, sections 4.3 to 4.5).
//
// Rows of data are a *mat.Dense, one row a sample, or where there may be too many for
// the memory a source of [Rows], of which a block at a time is read. Invariants: a
// [Mixture] never changes; data is never modified; the package reads no clock, file,
// socket or global random source. Sums over rows run in a fixed order on fixed pieces,
// so results have the same bits whatever GOMAXPROCS is, and members that are handed
// the same totals compute the same parameters.
//
// Start reading at [Mixture]; density.go and moments.go lead the passes over rows,
// whose loops are those of internal/mixture. The learner is in learner.go (Algorithm
// 1), moments.go (what is summed), mstep.go (Eqs. (14) to (16)) and start.go (the
// agreed start).
package gmm
