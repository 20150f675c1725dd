// Package differencing computes what a curious member learns from totals by subtraction.
//
// Every member receives every total, so any member can subtract two. Where the rows of a
// component change by one between two totals, x = Δ(first moment)/Δ(count) is that row. A
// [Recorder] notes the counts and first moments of all totals of a simulation;
// [Recorder.Compare] counts the rows that differences show. Two totals over views that differ
// in one member show that member's number of rows and their mean; [Recorder.Recover] computes
// both.
//
// Start reading at [Recorder].
package differencing
