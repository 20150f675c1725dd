// Package chunking hides private vectors: the data that a member shows about its own vector is
// random, and the sum of all members' vectors is still right.
//
// A [Layout] turns vectors into whole numbers of units, in one of four kinds of [Arithmetic]: a
// grid that float64 sessions average, the rings Z_2^64 and Z_2^128, and the field of 2^61-1.
// Sums of units are exact.
//
// Three kinds of random vectors hide them:
//
//   - Chunks. A member hands a fresh 32-byte seed to each of several others over an encrypted
//     stream ([Partners], [Seed]). Both expand it to the same [Mask]. The sender subtracts the
//     mask from its vector, the receiver adds it, so it cancels in the sum. The result, the
//     residue, goes into the session. A chunk may also travel whole, in place of its seed.
//   - Pads. A member adds one more mask to its residue, which seals the total. After the
//     decision all members reveal their pads and [Layout.Total] removes them. Others hold
//     shares of the pad's seed ([SplitSecret]), in case a member is lost. Pads of undecided
//     attempts are never revealed.
//   - Lanes. In place of chunks a vector may be split over several sessions: by [Layout.Lanes],
//     or by [Split] into Shamir shares.
//
// A member of three computes a sum, without pads, as follows. Its rank is s; send, received and
// addUp, which runs a session, are the program's own. The package's Example is a whole program.
//
//	layout, err := chunking.NewLayout(chunking.Ring, 3, []collabdict.Block{{Len: 2, Bound: 100}})
//	if err != nil {
//		return err
//	}
//	units, err := layout.Encode(vector)
//	if err != nil {
//		return err
//	}
//	context := chunking.Context{Run: run, Slot: slot, From: s}
//	for _, to := range chunking.Partners(entropy, context, 3, 2) {
//		context.To = to
//		seed := chunking.Seed(entropy, context)
//		send(to, seed)
//		layout.SubtractMask(units, chunking.Mask{Context: context, Purpose: chunking.ForChunk, Seed: seed})
//	}
//	for from, seed := range received {
//		context := chunking.Context{Run: run, Slot: slot, From: from, To: s}
//		layout.AddMask(units, chunking.Mask{Context: context, Purpose: chunking.ForChunk, Seed: seed})
//	}
//	total, err := layout.Total(addUp(layout.ToSession(units)), nil)
//
// Invariants:
//
//   - A value outside its bound is an error. So is a total larger than the sum of all bounds,
//     or one whose check is not zero: a mask was lost or expanded differently.
//   - Units and totals have the same bits on every machine.
//   - All randomness is an argument: 32 bytes from which seeds are derived. The package has no
//     clock, socket or goroutine.
//
// [BreachProbability], [NeighboursBreach], [LanesBreach] and [PadBreach] return the probability
// that colluding members learn a vector all the same. Package consensus uses this package; its
// doc comment shows where chunks and pads belong.
//
// Start reading at [Layout] and [Mask].
package chunking
