// Package discrepancy measures how far a member's data are from what all of them
// learn, and turns that into the weights by which the members' models are averaged:
// p_k in proportion to (n_k − a·d_k + b)₊, where n_k is the member's share of all rows
// and d_k its discrepancy.
//
// The discrepancy is that of encoded rows from the prior of an auto-encoder
// ([Latent], after Page 2024), or that of labels from equal frequencies ([Labels], after
// Ye et al. 2023, FedDisco). The distances behind the first, [W1] and [W2], are exact.
//
// Discrepancies and sizes stay with their members: what is common to all weights comes
// from private sums ([Rule.Agree]), and is the same at every member.
//
// Start reading at [Rule].
package discrepancy
