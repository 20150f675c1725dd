// Package summary makes the result of a run from what a participant holds at its end:
// its model and figures, who was in which sum, and how well the sums hid the vectors.
//
// Start reading at [Of].
package summary
