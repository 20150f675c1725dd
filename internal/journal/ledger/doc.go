// Package ledger records what has left a participant's folder: an entry for each kind of total,
// message, release and noise, over all runs of the folder.
//
// Invariants:
//
//   - A crash leaves the file as it was before a change or after it.
//   - Only one process at a time changes the file.
//   - A record is on disk before its data leave the folder.
//   - Records are never removed.
//
// Start reading at [Open] and [Book.Release].
package ledger
