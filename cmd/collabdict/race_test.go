//go:build race

package main

// Under the race detector everything takes ten times as long: scripts leave out what shows
// no more goroutines.
const raced = true
