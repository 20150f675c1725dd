// Package node is one participant, alive: it finds the other members, agrees
// with them on who takes part in what, and carries the collectives of package
// consensus over libp2p.
//
// [Join] returns a [Node], which is a collabdict.Group. Statistics travel point
// to point on long-lived streams, one per direction and peer; control messages,
// those to all members, on a gossipsub topic of the run. The run goes on while
// members are lost and come back: a process that is started in the folder of an
// earlier one takes up its part, and calls that the run has decided are answered
// from the log on disk (resume.go, log.go).
//
// Invariants:
//   - one goroutine owns the consensus.Machine (loop.go); everything else sends
//     it events, and readers get atomic snapshots;
//   - the writes and decisions of a step are on disk, in one transaction, before any
//     of its sends leaves, and the sends leave before its decisions are acted on;
//   - a process signs one roster, on disk before the signature leaves, and the
//     run begins with the signatures of all its members: two overlapping groups
//     of one size cannot both begin;
//   - the names of protocols and topics hold the consortium's identity, streams
//     and topics that of the run: members with other agreements, and processes
//     that do not have the state of a run, cannot get their messages into it;
//   - who sent a message is known from the authenticated connection or the
//     signature, never from the message;
//   - who is no member hears nothing of the control plane and is disconnected
//     after the answer to its hello; what a peer can make a member hold is bounded
//     by the run's own vectors;
//   - nothing of a stranger's hello counts; that a member is refused, that its run is
//     over, and which run a newcomer comes into takes the word of several members;
//   - a Node that is closed leaves no goroutine, connection or lock behind.
//
// Start reading at join.go, then loop.go.
package node
