// Package frechet measures how unlike each other the members' rows are: by the Fréchet
// distance between normal distributions of the mean and covariance matrix of a member's
// rows and of those of all the others (Rieger et al. 2020, section 3.4).
//
// Members find it by private sums, and show no rows. Start reading at [Measure].
package frechet
