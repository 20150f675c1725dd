// Package topology describes the cost of a sum over a topology: the graph's spectrum, the
// predicted iterations, and those that sessions really take. It has no network; sessions run in
// lockstep.
//
// Start reading at [Describe].
package topology
