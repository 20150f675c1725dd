// Package parallel runs independent pieces of numerical work on all processors.
//
// Invariant: every goroutine has ended when a call returns. The package does no reduction.
// Callers number their work, let each piece write only its own results, and reduce in the order
// of the numbers. So results have the same bits whatever GOMAXPROCS is. Loops over rows, which read
// them in blocks, are here too. Start reading at [For].
package parallel
