// Package audittest measures by draws what a mechanism tells of a row at least. It is for tests
// of mechanisms that say what they tell at most.
//
// Invariant: what [Audit.Epsilon] returns is above the true ε in at most one of a hundred audits.
// Start reading at [Run].
package audittest
