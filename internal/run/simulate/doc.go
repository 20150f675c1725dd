// Package simulate trains all participants of a data set in one process, with baselines for
// comparison, and measures them.
//
// Start reading at [Simulate].
package simulate
