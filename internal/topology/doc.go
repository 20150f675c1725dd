// Package topology tells what a sum over a topology takes: its spectrum, the
// iterations that follow from it, and those that sessions really make. It has no
// network; package session runs in lockstep.
//
// Start reading at [Describe].
package topology
