// Package columnstats computes statistics of the columns of all members' rows by private sums:
// bounds, which all others need first; mean and covariance matrix; smallest and largest values;
// quartiles; and principal axes. No row is revealed, and every member gets the same values.
//
// Bounds scale the random chunks that hide statistics, so they must hold at every member and
// should not be loose. To agree on them, each member publishes a power of two above its number
// of rows, and one above the root mean square of each column. In groups of more than 64 members
// nothing is published: sums of counts find the largest.
//
// Start reading at [Agree].
package columnstats
