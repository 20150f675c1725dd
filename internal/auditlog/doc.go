// Package auditlog keeps what has happened in a participant's folder, an event per line: the
// agreement, runs, who was in which total, releases. A line has the SHA-256 of the line before,
// so that none can be changed or removed without a trace in those that follow. The lines name
// totals by their digests: the totals, with the votes that decided them, are in state.db, and
// what they tell of rows is in the ledger.
//
// Invariants: lines are only ever appended, by one process at a time. What a process that was
// killed has left of a line is moved to a file of its own, and a line says so. Events are on
// disk a second after they happen, or earlier.
//
// Start reading at [Read] and [Log.Enter].
package auditlog
