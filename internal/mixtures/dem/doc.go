// Package dem connects one Gaussian mixture of the rows of all participants, learned by
// distributed EM, to the program. It has the three starts of Zhang Pettersson et al. (2025), in
// which this algorithm is the baseline: centres spread over the ranges of the columns, a few shared
// rows ([SharedRows], for simulations only), and federated clustering by package kfed. Package em
// makes the rounds or, with a budget of differential privacy, package dpem.
//
// Start reading at [Algorithm].
package dem
