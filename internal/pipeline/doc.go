// Package pipeline is one participant's part of a training from its rows to its model:
// scale the columns, train by an algorithm against a group, set the threshold, and
// measure the result. Nodes and simulations run the same code. It knows algorithms by
// package algorithm alone.
//
// Start reading at [Task] and [Task.Train].
package pipeline
