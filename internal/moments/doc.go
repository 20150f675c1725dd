// Package moments finds the mean and the covariance matrix of the rows of all
// participants by private sums, as standardising and principal axes want them.
//
// Start reading at [Centred].
package moments
