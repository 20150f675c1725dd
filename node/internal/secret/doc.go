// Package secret is what members share who do not know each other's peer IDs beforehand,
// and how two of them prove to each other that they know it.
//
// Start reading at [Secret], then prove.go.
package secret
