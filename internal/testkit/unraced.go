//go:build !race

package testkit

// Raced is true under the race detector.
const Raced = false
