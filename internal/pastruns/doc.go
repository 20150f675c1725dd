// Package pastruns keeps the runs that a participant has taken part in, and tells whether
// the totals of a new run give something away together with those of an earlier one: that
// is so if few members, or the rows of few, differ between the two.
//
// Invariants: what the folder keeps of rows is a digest under a key in a file of its own,
// so that the list tells nothing of them; what members publish is the identity and size of
// their last run, and one bit. A run is entered before its first sum over rows, since a
// process that dies does not know which totals the others have opened.
//
// Start reading at [Open] and [History.Compare].
package pastruns
