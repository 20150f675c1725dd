// Package store keeps what one participant must not lose in a crash: the rosters that it has
// signed, its run, the entries of the current slots, and the log of decisions. They are in
// state.db, a bbolt file.
//
// Invariants:
//
//   - Everything that belongs to one step of the protocol is one fsync'd transaction. A crash leaves
//     all of it or nothing.
//   - A process signs at most one roster.
//   - A file of another version is refused with an error, and not changed.
//   - A read returns what was written at that place, or a [DamageError]. No panic or fault of bbolt
//     leaves the package. An older copy of the whole file was written once, so it is not detected.
//
// The entries of a slot hold the pads and shares of its attempts. Those of an attempt that was
// not decided must never be revealed, and nobody should find them on the disk later. bbolt does
// not overwrite the pages that it frees. So entries are encrypted under a key of their slot,
// which is in state.keys, a file of a few bytes that is written in place. When a slot begins,
// the key of the slot two before it is overwritten. Remains of that slot's entries are then
// useless. (On file systems and disks that do not write in place, the old key may stay for a
// while.)
//
// Start reading at [Open], [Store.Begin] and [RunState.Apply].
package store
