// Package store keeps what one participant must not forget in a crash, in a
// bbolt file: the roster it signed, the steps of every slot, and who was in it.
//
// Invariants: everything that belongs to one step of the protocol is one fsync'd
// transaction, so a crash leaves all of it or nothing; a process signs at most
// one roster; a file of another version is refused by name and left alone.
//
// Start reading at [Open] and [Store.Apply].
package store
