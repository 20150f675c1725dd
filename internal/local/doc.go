// Package local scores rows by all that a participant has: a model shared with others, one
// of its own rows alone, and these rows themselves. What it holds stays with the participant.
//
// Start reading at [Ensemble].
package local
