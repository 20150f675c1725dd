// Package algorithmtest has what tests of algorithms share: algorithms created from settings
// (settings.go), groups that train (train.go), models that are written to and read from memory
// (load.go), and rows (rows.go).
//
// Start reading at [Check] and [Train].
package algorithmtest
