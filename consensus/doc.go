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
// A Sum is over the members of its view, or it carries on a running total over all members
// counted so far (running.go).
//
// Invariants:
//   - a slot has one total, at every member and for ever (ballot.go);
//   - pads and shares leave a member with the certificate of their attempt only, so
//     nothing is learned of an attempt that is given up (opener.go);
//   - secrets are drawn once in a ballot, and the vector of a slot is frozen when it
//     is first dealt, also for later processes (attempt.go, persist.go);
//   - a running total is the sum of the vectors counted last, and never shows one member's
//     part by what it loses (running.go);
//   - who is judged lost, slow or stalled costs time if it is wrong, never a wrong
//     total (monitor.go, stuck.go);
//   - no message that another member can send makes a machine panic (validate.go).
//
// The machine is made of parts that own their state and know no machine: the ballots of
// the slot (ballot.go), its sealed results (seal.go), the attempt of a ballot
// (attempt.go), the opener of a decided one (opener.go, in two forms), and the failure
// monitor (monitor.go). They are told the time, randomness and messages, and return what
// they decide and what is to be sent. docs/protocol.md tells the rules in words. Start
// reading at [Machine.Step]; decide.go, work.go and open.go put the parts together.
package consensus
