// Package chunking splits a secret vector into random chunks, so that what a
// member shows of it says nothing, while the chunks of all members still add up
// to the sum of their vectors.
//
// Seeded random chunking: a member sends a fresh 32-byte seed to each of some
// other members, over an encrypted stream. Both expand it to the same chunk; the
// sender takes the chunk from its vector, the receiver adds it to its own. What
// remains, the residue, is what members average. All randomness comes in as an
// argument; the package has no clock, socket or goroutine.
//
// Start reading at [Residue].
package chunking
