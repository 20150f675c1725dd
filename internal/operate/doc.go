// Package operate shows an operator how a participant's process is doing: its status as
// JSON, its metrics, and whether it contributes, over HTTP on a socket in its folder.
// Nothing that is shown depends on the values of rows.
//
// Start reading at [Status].
package operate
