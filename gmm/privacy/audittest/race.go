//go:build race

package audittest

// With the race detector, draws take ten times as long.
const raced = true
