// Package secret implements the secret that members share if they do not know each other's peer
// IDs in advance, and the proof by which two of them show each other that they know it.
//
// Start reading at [Secret], then prove.go.
package secret
