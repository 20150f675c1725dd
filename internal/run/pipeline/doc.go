// Package pipeline runs one participant's training, from its rows to its model. It scales the
// columns, trains an algorithm with a group, finds the threshold, and measures and reports the
// result: figures, the members of each sum, and how well the sums hid the vectors. Nodes and
// simulations run the same code. The package uses algorithms only through package algorithm.
//
// Start reading at [Task] and [Task.Fit].
package pipeline
