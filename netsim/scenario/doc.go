// Package scenario reads what is to go wrong in a simulation, from a line of text
//
//	crash:node=3,at=2m;partition:a=1-4|b=5-7,at=5m,for=1m;loss:rate=0.01
//
// or from YAML with the same words, and makes the settings of package netsim of it.
//
// Start reading at [Parse].
package scenario
