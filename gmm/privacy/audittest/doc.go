// Package audittest measures, by repeated draws, a lower bound of what a mechanism reveals
// about a row. It is for tests of mechanisms that promise an upper bound.
//
// Invariant: the result of [Audit.Epsilon] exceeds the true ε in at most one of a hundred
// audits. Start reading at [Run].
package audittest
