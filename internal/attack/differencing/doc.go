// Package differencing computes what a curious member learns from totals by subtraction.
//
// Every member receives every total, so any member can subtract two. A [Watch] notes the totals of
// a simulation, and the [World] that follows from it holds the rows behind them, too. Where the
// rows of a component change by one between two totals, x = Δ(first moment)/Δ(count) is that row:
// [World.Compare] counts such rows. Two totals over views that differ in one member show that
// member's number of rows and their mean: [World.Recover] computes both.
//
// A reader who knows nothing of layouts compares many runs. [Worlds] collects what members open in
// runs on other rows, with the same task and faults. [Worlds.Read] looks for one or two opened
// values that track a private quantity of another member over all worlds. [Worlds.Rows] adds up
// the rows that all worlds show, and [Worlds.Faults] lists values that lie on no public grid.
//
// Start reading at [World] and [Worlds].
package differencing
