// Package pastruns keeps the runs that a participant has taken part in. It reports whether the
// totals of a new run and an earlier one together reveal something, which they do if few
// members, or the rows of few members, differ.
//
// Invariants: the folder keeps only a digest of the rows, under a key in a separate file, so
// the list reveals nothing about them. Members publish only the identity and size of their last
// run, and one bit. A run is recorded before its first sum over rows, because a process that
// dies does not know which totals the others have opened.
//
// Start reading at [Open] and [History.Compare].
package pastruns
