// Package oneshot is the experiments of Zhang Pettersson, Liang and Andresen (2025,
// "Federated Gaussian Mixture Models") again: FedGenGMM's single round against EM by
// rounds of sums from three starts, local mixtures, and all rows in one place. Beyond
// the paper it counts the rounds of sums that a single round saves (refine.go).
//
// Rows are those of the paper's sections 5.1 to 5.3 as far as they are public (sets.go).
// Participants compute on them in one process, by sums that are exact; what is learned
// over the protocol is the same.
//
// Start reading at Study; a trial is one deal of the rows.
package oneshot
