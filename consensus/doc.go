// Package consensus holds the collectives of a run as one pure state machine a
// member: Sum and Gather over the members of a view.
//
// The life of a run is a sequence of slots, one a collective call. In a slot a
// member deals seeds of random chunks (package chunking), is ready when it holds
// everybody's, averages the residues by Laplacian consensus on an expander
// (package graph) whose vertices are dealt anew, adopts the sealer's total after
// checking it against its own, votes for its digest, and opens the slot when the
// whole view has voted the same.
//
//	Idle -> Dealt -> Prepared -> Session -> Sealing -> Voted -> Idle
//	Idle -> Dealt -----------------------------------> Voted -> Idle   (Gather)
//
// [Machine.Step] takes an [Event] and the time, and returns [Effects]: writes
// that must be on disk before any of the sends leaves, sends, and the outcome of
// the call if it has ended. The machine has no goroutine, clock, socket or random
// source; messages, time and randomness are arguments. A slot is decided in one
// attempt, ballot 0, by all members of the view: when one is lost, the run ends.
//
// Start reading at [Machine.Step]; the averaging itself is in session.go.
package consensus
