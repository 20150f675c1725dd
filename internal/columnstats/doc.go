// Package columnstats finds statistics of the columns of all members' rows by private
// sums: bounds, which every other statistic needs first, the mean and the covariance
// matrix, the smallest and the largest values, and the principal axes. No row is shown, and
// every member comes to the same values.
//
// Bounds scale the random chunks that hide statistics, so they must hold at every member
// and should not be loose. For them a member publishes of its rows a power of two above
// their number and one above the root mean square of each column. In a group of more than
// 64 members nothing is published: sums of counts tell the largest.
//
// Start reading at [Agree].
package columnstats
