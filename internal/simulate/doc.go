// Package simulate trains all participants of a data set in one process, with
// the baselines to hold the result against, and measures them.
//
// Start reading at [Simulate].
package simulate
