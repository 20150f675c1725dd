// Package node runs one participant of a consortium: it finds the other members, agrees with
// them on the roster, and carries the collectives of package consensus over libp2p.
//
// A program joins a run, trains, and ends its part. This is a complete member, for a learner
// that implements collabdict.Learner:
//
//	secret, err := node.ReadSecret("our.secret") // the same file at all members
//	if err != nil {
//		return err
//	}
//	n, err := node.Join(ctx, node.Config{
//		Name:      "plant-a",
//		Dir:       "plant-a", // identity and state; a restart resumes the run
//		Expect:    3,         // members, this one included
//		Secret:    secret,
//		Peers:     []string{"/ip4/192.0.2.7/tcp/4001/p2p/12D3KooW..."},
//		Agreement: node.Agreement{{Name: "model", Value: "logistic"}},
//		Settings:  consensus.Settings{Protect: chunking.Chunks},
//	})
//	if err != nil {
//		return err
//	}
//	defer n.Close()
//	if _, err := collabdict.Train(ctx, n, learner, collabdict.Options{Rounds: 20, Tol: 1e-6}); err != nil {
//		n.Abort("its training has failed")
//		return err
//	}
//	return n.Finish(ctx)
//
// [Config] describes the participant. Its Agreement holds what must be the same at all members.
// [Join] returns a [Node] when the run has begun. If members do not fit together, it returns an
// error at both sides that names the peer, the field and both values. A Node is a
// collabdict.Group, so collabdict.Train runs a learner on it. [Node.Status] is a snapshot for
// operators. A run ends with [Node.Finish] as planned, with [Node.Leave] for now, and with
// [Node.Abort] for good.
//
// The run continues while members drop out and come back. A process that is started in the
// folder of an earlier one resumes its part: the log on disk answers the calls that the run has
// decided. During a run, [Node.Change] adds and removes members, pauses the run or resumes it,
// as soon as a quorum wants that.
//
// Statistics travel from member to member on long-lived streams, one in each direction. Control
// messages go to all members on a gossipsub topic of the run. The parts are packages of their
// own, which know neither the loop nor each other's state:
//
//   - internal/rendezvous finds the members and agrees on the roster;
//   - internal/membership defines the members and their agreement;
//   - internal/transport carries messages;
//   - internal/secret proves the secret;
//   - internal/journal/store, of the module, keeps what must survive a crash.
//
// Invariants:
//
//   - One goroutine owns the consensus.Machine (loop.go). Everything else sends it events, and
//     readers get atomic snapshots.
//   - The writes and decisions of a step are on disk, in one transaction, before any of its
//     messages leaves. The messages leave before the decisions take effect.
//   - The names of protocols and topics contain the consortium's identity, and streams and
//     topics also the run's. So members with another agreement, and processes without the state
//     of the run, cannot send messages into it.
//   - A stranger receives nothing from the control plane, and is disconnected after the answer to
//     its hello. The memory that a peer can use at a member is bounded by the vectors of the run.
//   - A closed Node leaves no goroutine, connection or lock behind.
//
// Start reading at [Config] and [Join]; in the package itself at join.go, then loop.go.
package node
