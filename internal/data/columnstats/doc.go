// Package columnstats computes statistics of the columns of all members' rows by private sums:
// bounds, which all others need first; mean and covariance matrix; smallest and largest values;
// quartiles; and principal axes. No row is revealed, and every member gets the same values.
//
// Bounds scale the random chunks that hide statistics, so they must hold at every member and
// should not be loose. They are powers of two above the numbers of rows, and above the root mean
// square of each column. Sums of counts find the largest; no member publishes its own.
//
// Start reading at [Agree].
package columnstats
