//go:build race

package main

import "os"

// Under the race detector everything takes ten times as long: scripts leave out what shows
// no more goroutines.
const (
	raced    = true
	manyRows = 1200 // of a member: with so many, the local update takes most of the time per round
)

// The race detector has each process wait for a second at its end, unless it is told not to:
// the tests start a thousand.
func init() { _ = os.Setenv("GORACE", "atexit_sleep_ms=0 "+os.Getenv("GORACE")) }
