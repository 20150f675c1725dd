// Package bench measures the hot paths on this machine, where a table could only list the
// results of others.
//
// Start reading at [Consensus].
package bench
