// Package frechet measures how much the members' rows differ. It uses the Fréchet distance
// between two normal distributions: with the mean and covariance matrix of a member's rows, and
// with those of all other rows (Rieger et al. 2020, section 3.4).
//
// Members compute it by private sums, and reveal no rows. Start reading at [Measure].
package frechet
