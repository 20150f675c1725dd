//go:build race

package simulate

// Under the race detector numerics take ten times as long. Long tests are made shorter.
const raced = true
