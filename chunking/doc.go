// Package chunking hides secret vectors, so that what a member shows of its own
// says nothing, while the sum of all members' vectors comes out right.
//
// A [Layout] turns vectors into whole numbers of units, in one of four kinds of
// [Arithmetic]: a grid that sessions of float64 average, the rings Z_2^64 and
// Z_2^128, and the field of 2^61-1. In units everything adds up exactly. What
// hides them:
//
//   - Chunks. A member hands a fresh 32-byte seed to each of some others, over an
//     encrypted stream ([Partners], [Seed]). Both expand it to the same [Mask]; the
//     one that dealt it subtracts the mask, the one that got it adds it. What
//     remains, the residue, goes into the session. A chunk may also travel whole,
//     in place of its seed.
//   - Pads. A mask that a member adds to its residue seals the total until that has
//     been decided; then all pads are told and [Layout.Total] takes them off. The
//     others hold shares of a pad's seed ([SplitSecret]), in case a member is lost.
//     Pads of what is not decided are never told.
//   - Lanes. In place of chunks a vector may be split over several sessions, by
//     [Layout.Lanes] or, with shares that restore it from some of them, by [Split].
//
// A value outside its bound is an error, and so is a total that is larger than all
// bounds together allow, or whose check is not zero. That is how a mask shows that
// was lost or expanded differently.
//
// How likely it is that members who work together see through this is told by
// [BreachProbability], [NeighboursBreach], [LanesBreach] and [PadBreach].
//
// All randomness comes in as an argument: 32 bytes from which seeds are derived. The
// package has no clock, socket or goroutine, and units and totals have the same bits
// on every machine.
//
// Start reading at [Layout] and [Mask].
package chunking
