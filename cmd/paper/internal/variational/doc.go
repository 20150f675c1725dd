// Package variational fits a Gaussian mixture whose number of components the rows
// themselves decide: a Dirichlet process of round clusters, truncated, by mean-field
// variational inference (Blei and Jordan 2006; Bishop 2006, chapter 10). It is what
// clusterings that find their own number are compared with, on rows in one place.
//
// Start reading at [Fit].
package variational
