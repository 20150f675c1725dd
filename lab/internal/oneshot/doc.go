// Package oneshot repeats the experiments of Zhang Pettersson, Liang and Andresen (2025,
// "Federated Gaussian Mixture Models"). It compares FedGenGMM's single round with EM by rounds
// of sums from three starts, local mixtures, and all rows in one place. Beyond the paper it
// counts the rounds of sums that a single round saves (refine.go).
//
// Rows are those of the paper's sections 5.1 to 5.3 as far as they are public (sets.go).
// Participants compute in one process, with exact sums; the protocol gives the same models.
//
// Start reading at Study; a trial is one deal of the rows.
package oneshot
