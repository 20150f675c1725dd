//go:build race

package node

// Under the race detector everything takes ten times as long.
const manyHosts = 8
