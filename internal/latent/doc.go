// Package latent looks at rows through a model that has latent variables: where their codes
// are, and what is lost between a row and what its code is decoded to.
//
// All of it tells of single rows: who looks at rows of their own keeps it.
//
// Start reading at [At].
package latent
