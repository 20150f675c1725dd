//go:build race

package netsim_test

// Under the race detector numerics take ten times as long. Long tests are made shorter.
const raced = true
