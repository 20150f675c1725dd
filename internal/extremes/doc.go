// Package extremes normalises columns to the range from 0 to 1, by ranges that
// members have agreed on, or by the smallest and largest value of each column over
// the rows of all members, which they find by private sums.
//
// Start reading at [Fit].
package extremes
