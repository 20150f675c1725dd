//go:build !race

package main

const (
	raced    = false
	manyRows = 8000 // rows per member that make the local update take most of a round
)
