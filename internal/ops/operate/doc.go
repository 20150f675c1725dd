// Package operate shows an operator the state of a participant's process: its status as JSON,
// its metrics, and whether it contributes. It serves these over HTTP on a socket in the
// participant's folder. It shows no value of a row. Warnings may depend on the own rows, and
// are only for the owner of the folder.
//
// It also serves the page of a process, or of the folder of a finished run. The page shows what one
// member sees: its own in run, and the first one that still runs in up and demo. In sim, which has no
// node, it shows the rounds of all. Only the owner of the folder reads it; see [Page].
//
// Start reading at [Status], and for the page at [Run].
package operate
