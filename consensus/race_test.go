//go:build race

package consensus

// Under the race detector everything takes ten times as long, and finds nothing: a
// machine has no goroutine. Long tests are made shorter.
const raced = true
