// Package dpem learns a Gaussian mixture from totals with differential privacy.
//
// A round asks each row for a vector whose Euclidean norm is at most 1. Members add up those of their
// rows, add discrete normal noise, and sum over all members. Rounds find, one after the other, the
// mean of each column ([means]), how far values are from it ([deviations]), the covariance matrix
// ([covariance]), many centres ([centres]), and the components that grow out of these
// ([expectation]). The loss of all rounds together is fixed before the first one.
//
// Invariant: what a member sends depends on its rows by these vectors alone, and the rest of the
// package on totals alone, so all members compute the same. Start reading at [Learner].
package dpem
