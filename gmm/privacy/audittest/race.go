//go:build race

package audittest

// Under the race detector draws take ten times as long.
const raced = true
