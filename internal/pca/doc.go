// Package pca finds the principal axes of the rows of all participants from private
// sums: of the values, and of the products of any two columns. No row is shown, and
// every member comes to the same axes, in the same order and with the same signs.
//
// What the members learn is the mean and the covariance matrix of all rows, which
// tells more than the axes alone.
//
// Start reading at [Fit].
package pca
