// Package rendezvous finds the other members of a run and agrees with them on the roster.
// Processes exchange hellos repeatedly until all founders have signed one roster. A process
// that resumes a run says hello to the members that it knows. A newcomer waits until the
// members have decided the change that adds it. During the run the package answers members that
// come back.
//
// Invariants:
//   - a process signs only one roster, and saves it before the signature leaves. The run begins
//     with the signatures of all its members, so two overlapping groups of one size cannot
//     both begin;
//   - nothing in a stranger's hello counts;
//   - one member's word is not enough to refuse a member, to end a run, or to show a newcomer
//     its run.
//
// Start reading at rendezvous.go, then registry.go.
package rendezvous
