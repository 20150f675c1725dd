//go:build !race

package main

const (
	raced    = false
	manyRows = 8000 // of a member: with so many, the local update takes most of the time per round
)
