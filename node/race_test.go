//go:build race

package node

import "runtime"

// Under the race detector everything takes ten times as long.
const manyHosts = 8

// One goroutine at a time: in a bubble of testing/synctest, timers that are due are run
// by whichever goroutine waits for one, and under the race detector of go1.26 two that
// do so at the same moment use the same context of the detector, which ends the process
// by a SIGSEGV. Races are found all the same, as the detector goes by what happens
// before what.
func init() { runtime.GOMAXPROCS(1) }
