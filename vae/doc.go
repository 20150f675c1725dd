// Package vae is for variational auto-encoders that participants train together:
// the multi-task one of Idé, Phan and Raymond 2024, whose decoder is shared and
// whose encoders are each participant's own, the β-VAE with weights by latent
// discrepancy, and classifiers whose layers are conditioned on a private
// parameter of the participant. Each has a package of its own below, whose Kind is the
// algorithm as package algorithm has it.
//
// Like package gmm they have no clock, file, socket or global random source,
// and results with the same bits whatever GOMAXPROCS is.
//
// Start reading at package multitask, whose example trains one.
package vae
