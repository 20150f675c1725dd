// Package operate shows an operator the state of a participant's process: its status as JSON,
// its metrics, and whether it contributes. It serves these over HTTP on a socket in the
// participant's folder. It shows no value of a row. Warnings may depend on the own rows, and
// are only for the owner of the folder.
//
// Start reading at [Status].
package operate
