//go:build race

package node

import "runtime"

// Under the race detector everything takes ten times as long.
const manyHosts = 8

// Only one goroutine may run at a time. In a bubble of testing/synctest, a due timer is run by
// any goroutine that waits for one. Under the race detector of go1.26, two goroutines that do
// so at once use the same context of the detector, and the process ends with a SIGSEGV. Races
// are still found, since the detector looks at the happens-before order.
func init() { runtime.GOMAXPROCS(1) }
