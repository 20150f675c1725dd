// Package consensus adds up private vectors without a coordinator. The members of a run make
// the same calls of [Sum] and [Gather], and all of them get the same results, although members
// may stop, restart and lose messages at any time. Curious members that pool what they see
// learn only the totals of Sums, except with the small probability of
// [chunking.BreachProbability]. The package is one member's part as a pure state machine: it
// has no goroutine, clock, socket or random source.
//
// # How a result is decided
//
// A run is a sequence of slots. A slot is one collective call, or a change of the roster, and
// decides one result. Members make attempts at a slot until one is decided. An attempt belongs
// to a ballot of a Paxos over all members, and its members are the ballot's view.
//
//	Idle -> Dealt -> Session [-> Sealing] -> Voted -> Opening -> Idle   (Sum)
//	Idle -> Dealt -------------------------> Voted ------------> Idle   (Gather)
//
// In an attempt at a Sum, a member
//
//   - deals random chunks and shares of a secret pad to the others (package chunking);
//   - hides its vector under chunks and pad, and combines it with the others' (package
//     session). The result is sealed: it contains the pads of all;
//   - votes for the digest of the sealed result. A quorum of equal votes decides;
//   - reveals its pad after the decision. Pads of lost members are rebuilt from shares. All
//     members then remove the pads and have the same total.
//
// If an attempt cannot decide, a later ballot finishes the attempt that has votes. Only if none
// has does it start a new attempt. A Sum is over the members of its view, or it continues a
// running total over all members counted so far (running.go).
//
// # Usage
//
// [New] returns a [Machine] at the start of a run, [Resume] one that continues from disk. The
// program passes it each [Event] together with the time since the start of the run, and carries
// out the [Effects]:
//
//	apply := func(e consensus.Effects) {
//		store(e.Writes, e.Decisions) // in one transaction, before anything is sent
//		for _, s := range e.Sends {
//			send(s.To, s.Message)
//		}
//		for _, s := range e.Serves {
//			sendFromDisk(s) // a decided slot, for a member that missed it
//		}
//		for _, d := range e.Decisions {
//			answer(d) // the learner continues
//		}
//		if e.Err != nil {
//			end(e.Err) // the run has ended at this member
//		}
//	}
//	for {
//		select {
//		case c := <-calls: // the learner's next Sum or Gather
//			apply(m.Step(time.Since(start), c))
//		case r := <-received:
//			v, err := consensus.Validate(r.message, ranks)
//			if err != nil {
//				continue
//			}
//			apply(m.Step(time.Since(start), consensus.Receive{From: r.rank, Message: v}))
//		case <-ticker.C: // at least every half of Params.Heartbeat
//			apply(m.Step(time.Since(start), consensus.Tick{Learner: nextSlot}))
//		}
//	}
//
// The program must keep this order: writes, sends, decisions. It must authenticate the sender
// of each message. Messages may get lost: members repeat them when heartbeats show that they
// are missing. The learner makes a fresh [Call] for each slot, with new entropy, except for a
// slot that the others have decided in the meantime: the [Decision] is then its answer.
// [RequestAmendment] changes the members of the run; [Finish] and [Abort] end it.
//
// # Invariants
//
//   - A slot has one result, at every member and for ever (ballot.go).
//   - Pads and shares leave a member only with the certificate of their attempt, so an
//     abandoned attempt reveals nothing (opener.go).
//   - Secrets are drawn once per ballot. The vector of a slot is frozen at the first deal, also
//     for later processes (attempt.go, persist.go).
//   - A running total is the sum of the vectors counted last. It begins with all members, and the
//     loss of a member does not reveal its part (running.go).
//   - A wrong judgement that a member is lost, slow or stalled costs time, never a wrong total
//     (monitor.go, stuck.go).
//   - No message from another member makes a machine panic (validate.go).
//
// # Where to start reading
//
// Start at [Machine.Step]. The files decide.go, work.go and open.go connect the parts of the
// machine. Each part owns its state and knows nothing of the machine. The parts are the ballots
// of the slot (ballot.go), its sealed results (seal.go), the attempt of a ballot (attempt.go),
// the opener of the decided attempt (opener.go), and the failure monitor (monitor.go). They get
// time, randomness and messages as arguments, and return their decisions and messages. The
// rules, and the reasons why they are safe, are in docs/protocol.md.
package consensus
