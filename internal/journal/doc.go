// Package journal records what has happened in a participant's folder, an event per line: the
// agreement, runs, the members of each total, and releases. Each line has the SHA-256 of the
// line before it, so a changed or removed line is detected. Lines identify totals by their
// digests. The totals themselves, with the votes that decided them, are in state.db, and the
// ledger lists what they reveal about rows.
//
// Invariants:
//
//   - Lines are only appended, by one process at a time.
//   - If a process was killed while it wrote a line, the next one moves the incomplete line to
//     its own file, and adds a line that records this.
//   - Events are on disk at most a second after they happen.
//
// Start reading at [Read] and [Log.Enter].
package journal
