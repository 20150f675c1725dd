// Package membership defines who takes part in a run and what the members have agreed on: their
// names, the agreement, the roster that all founders sign, and the amendments that change it.
// It holds data alone: nothing in it waits, sends or writes.
//
// Start reading at [Members], then [Roster].
package membership
