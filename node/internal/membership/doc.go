// Package membership is who takes part in a run and what they have agreed on: members
// and their names, the agreement, the roster that all founders sign, and the amendments
// that change it. It is data alone: nothing here waits, sends or writes.
//
// Start reading at [Members], then [Roster].
package membership
