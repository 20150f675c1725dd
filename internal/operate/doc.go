// Package operate shows an operator how a participant's process is doing: its status as
// JSON, its metrics, and whether it contributes, over HTTP on a socket in its folder.
// No value of a row is shown. What warnings say of the own rows is for the owner of the folder alone.
//
// Start reading at [Status].
package operate
