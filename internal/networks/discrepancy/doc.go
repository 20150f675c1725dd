// Package discrepancy measures how far a member's data are from those of all members, and
// computes weights for averaging the members' models. The weight of member k is
//
//	p_k ∝ (n_k − a·d_k + b)₊,
//
// where n_k is the member's share of all rows and d_k its discrepancy.
//
// The discrepancy is the distance of encoded rows from the prior of an auto-encoder ([Latent],
// after Page 2024), or that of labels from equal frequencies ([Labels], after Ye et al. 2023,
// FedDisco). The distances are exact.
//
// Discrepancies and sizes stay with their members. The terms common to all weights come from
// private sums ([Rule.Agree]), and are the same at every member.
//
// Start reading at [Rule].
package discrepancy
