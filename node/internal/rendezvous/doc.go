// Package rendezvous finds the other members of a run and agrees with them on who is in
// it. Processes exchange hellos, again and again, until all founders have signed one
// roster. A process that resumes a run says hello to the members that it had; a newcomer
// waits until the members have decided the change that adds it. During the run it answers
// those that come back.
//
// Invariants:
//   - a process signs one roster, on disk before the signature leaves, and the run begins
//     with the signatures of all its members: two overlapping groups of one size cannot
//     both begin;
//   - nothing of a stranger's hello counts;
//   - that a member is refused, that its run is over, and which run a newcomer comes into
//     takes the word of several members.
//
// Start reading at rendezvous.go, then registry.go.
package rendezvous
