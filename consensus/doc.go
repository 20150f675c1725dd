// Package consensus holds the collectives of a run as one pure state machine a
// member: Sum and Gather over the members of a view.
//
// The life of a run is a sequence of slots, one a collective call. What a slot
// decides is voted for in ballots of a Paxos over all members. In a ballot a member
// deals seeds of random chunks and shares of a pad that seals its vector (package
// chunking), combines what remains with the others (package session), and votes for
// the sealed total. When a quorum has voted alike, the slot is decided: pads are
// told, those of lost members are put together from shares, and everybody opens the
// same total. A ballot that cannot decide is followed by another, which finishes
// what has votes and begins anew only where nothing has.
//
//	Idle -> Dealt -> Session [-> Sealing] -> Voted -> Opening -> Idle   (Sum)
//	Idle -> Dealt -------------------------> Voted ------------> Idle   (Gather)
//
// [Machine.Step] takes an [Event] and the time, and returns [Effects]: writes and
// decisions that must be on disk before any of the sends leaves, sends, and slots
// to serve from the log to a member that has missed them. [Resume] brings a machine
// back from what it has written. The machine has no goroutine, clock, socket or
// random source; messages, time and randomness are arguments.
//
// Invariants:
//   - a slot has one total, at every member and for ever (ballot.go, vote.go);
//   - pads and shares leave a member with the certificate of their attempt only, so
//     nothing is learned of an attempt that is given up (open.go);
//   - secrets are drawn once in a ballot, and the vector of a slot is frozen when it
//     is first dealt, also for later processes (attempt.go, persist.go);
//   - who is judged lost, slow or stalled costs time if it is wrong, never a wrong
//     total (judge.go).
//
// docs/protocol.md tells the rules in words. Start reading at [Machine.Step]; the
// ballots are in ballot.go, a sum's way from the deal to the total in attempt.go,
// average.go, seal.go, vote.go and open.go.
package consensus
