// Package dpem learns a Gaussian mixture from differentially private totals.
//
// In each round, every row contributes a vector whose Euclidean norm is at most 1. Each member
// adds up the vectors of its rows and adds discrete normal noise; a private sum over all members
// follows. The first rounds find the mean of each column ([means]), the distance of values from
// it ([deviations]), and then the covariance matrix ([covariance]). Later rounds find many
// centres ([centres]), and then the components that grow out of these ([expectation]). The
// privacy loss of all rounds together is fixed before the first one.
//
// Invariant: what a member sends depends on its rows only through these vectors. Everything
// else depends only on totals, so all members compute the same.
//
// Start reading at [Learner].
package dpem
