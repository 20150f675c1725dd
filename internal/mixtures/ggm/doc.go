// Package ggm connects the mixture of sparse Gaussian graphical models of Idé, Phan and Raymond
// (2024) to the program: its options, what it shows, its training, and the posterior from which a
// release is drawn. Package em trains it or, with a budget of differential privacy, package dpem.
//
// Start reading at [Algorithm].
package ggm
