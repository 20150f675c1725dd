//go:build race

package consensus

// Under the race detector everything takes ten times as long. It finds nothing, since a machine
// has no goroutine. So long tests are shortened.
const raced = true
