//go:build race

package main

import "os"

// Under the race detector everything takes ten times as long, so scripts leave out steps that run
// no further goroutines.
const (
	raced    = true
	manyRows = 1200 // rows per member that make the local update take most of a round
)

// By default the race detector makes each process sleep for a second at its end, and the tests
// start a thousand processes.
func init() { _ = os.Setenv("GORACE", "atexit_sleep_ms=0 "+os.Getenv("GORACE")) }
