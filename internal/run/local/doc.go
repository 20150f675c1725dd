// Package local scores rows by everything that a participant has: a model shared with others, a
// model of its own rows, and these rows themselves. Nothing in it leaves the participant.
//
// Start reading at [Ensemble].
package local
