// Package differencing is what a curious member reads from totals by subtraction.
//
// Every member is told every total, so any of them can subtract two. Where the rows of
// a component change by one between two totals, x = Δ(first moment)/Δ(count) is that
// row. A [Recorder] notes the counts and first moments of all totals of a simulation;
// [Recorder.Compare] counts the rows that differences show. Two totals over views that differ
// in one member show that member's number of rows and their mean: [Recorder.Recover] reads
// them.
//
// Start reading at [Recorder].
package differencing
