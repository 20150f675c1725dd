// Package differencing computes what a curious member learns from totals by subtraction.
//
// Every member receives every total, so any member can subtract two. Where the rows of a
// component change by one between two totals, x = Δ(first moment)/Δ(count) is that row. A
// [Recorder] notes the counts and first moments of all totals of a simulation;
// [Recorder.Compare] counts the rows that differences show. Two totals over views that differ
// in one member show that member's number of rows and their mean; [Recorder.Recover] computes
// both.
//
// A reader who knows nothing of layouts compares many runs. [Worlds] collects what members open in
// runs on other rows, with the same task and faults. [Worlds.Read] looks for one or two opened
// values that track a private quantity of another member over all worlds. [Worlds.Rows] counts
// rows that changes of moments show, and [Worlds.Faults] lists values that lie on no public grid.
//
// Start reading at [Recorder] and [Worlds].
package differencing
