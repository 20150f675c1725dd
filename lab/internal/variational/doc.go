// Package variational fits a Gaussian mixture whose number of components follows from the rows:
// a truncated Dirichlet process of round clusters, by mean-field variational inference (Blei
// and Jordan 2006; Bishop 2006, chapter 10). Clusterings that find their own number are
// compared with it, on rows in one place.
//
// Start reading at [Fit].
package variational
