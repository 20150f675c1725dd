// Package node is one participant, alive: it finds the other members, agrees
// with them on who takes part in what, and carries the collectives of package
// consensus over libp2p.
//
// [Join] returns a [Node], which is a collabdict.Group: hand it to collabdict.Train with a
// learner, and end with [Node.Finish]. [Config] says who takes part and what members must
// agree on.
//
// Statistics travel point
// to point on long-lived streams, one per direction and peer; control messages,
// those to all members, on a gossipsub topic of the run. The run continues while
// members drop out and come back: a process that is started in the folder of an
// earlier one takes up its part, and calls that the run has decided are answered
// from the log on disk (log.go).
//
// The parts are in packages of their own, and know neither the loop nor each other's
// state: internal/rendezvous finds the members, internal/membership is who they are,
// internal/transport carries messages between them, and internal/store of the module
// keeps what must survive a crash. This package puts them together.
//
// Invariants:
//   - one goroutine owns the consensus.Machine (loop.go); everything else sends
//     it events, and readers get atomic snapshots;
//   - the writes and decisions of a step are on disk, in one transaction, before any
//     of its sends leaves, and the sends leave before its decisions are acted on;
//   - the names of protocols and topics hold the consortium's identity, streams
//     and topics that of the run: members with other agreements, and processes
//     that do not have the state of a run, cannot get their messages into it;
//   - a stranger hears nothing of the control plane and is disconnected after the answer
//     to its hello; what a peer can make a member hold is bounded by the run's own vectors;
//   - a Node that is closed leaves no goroutine, connection or lock behind.
//
// Start reading at [Config] and [Join]; of the package itself at join.go, then loop.go.
package node
