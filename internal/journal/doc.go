// Package journal keeps one record of a participant's folder, an event per line: agreements, runs,
// the members and the digest of each total, and what releases and runs have revealed. Each line has
// the SHA-256 of the line before it, so a changed or removed line is detected.
//
// The other views follow from the lines: the ledger of what has left the folder ([Record]), and the
// runs to compare a new one with ([Past]). The totals themselves, with the votes that decided them,
// are in state.db.
//
// Invariants:
//
//   - Lines are only appended, by one process at a time. Nothing is ever removed.
//   - A line follows the transaction of state.db that it reports, and precedes what it announces:
//     a run has its line before its first sum over rows, and a release before its file.
//   - Other lines are on disk at most a second after their event. The next process adds those that
//     a killed one has not written.
//   - A process that was killed leaves at most an incomplete line. The next one moves it to its own
//     file, and adds a line that records this.
//   - The file has a digest of the own rows, under a key in a separate file, so it reveals nothing
//     about them. Members publish only the identity and size of their last run, and one bit.
//
// Start reading at [Line], [Open] and [Journal.Begin].
package journal
