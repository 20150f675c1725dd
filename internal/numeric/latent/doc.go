// Package latent shows rows through a model with latent variables: their codes, and the loss
// between a row and its reconstruction.
//
// The results reveal single rows, so they must stay with the rows' owner.
//
// Start reading at [At].
package latent
