// Package summary builds the result of a run from what a participant has at its end: its model
// and figures, the members of each sum, and how well the sums hid the vectors.
//
// Start reading at [Of].
package summary
