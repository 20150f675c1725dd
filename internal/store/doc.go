// Package store keeps what one participant must not forget in a crash: the
// rosters it signed, the run it is in, the entries of the slots under way, and the
// log of what was decided. They are in state.db, a bbolt file.
//
// Invariants: everything that belongs to one step of the protocol is one fsync'd
// transaction, so a crash leaves all of it or nothing; a process signs at most
// one roster; a file of another version is refused by name and left alone; what is
// read is what was written, in the place where it was written, or the read is a
// [DamageError], and no panic or fault of bbolt leaves the package. An older copy of the
// whole file is what was written once, and is not found.
//
// The entries of a slot hold the pads and shares of its attempts. Those of an
// attempt that is not the decided one must never be told, and nobody should find
// them on the disk later. bbolt does not overwrite the pages it frees, so entries
// are encrypted under a key of their slot, which stands in state.keys, a file
// of a few bytes written in place. When a slot begins, the key of the one two
// before it is overwritten, and what may be left of that slot's entries is of no
// use to anybody. (On file systems and disks that do not write in place the old
// key may stay for a while.)
//
// Start reading at [Open], [Store.Begin] and [Journal.Apply].
package store
