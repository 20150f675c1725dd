// Package bench measures the hot paths on this machine: what a command prints is
// what one would otherwise have to take from a table.
//
// Start reading at [Consensus].
package bench
