// Package algorithmtest is what tests of algorithms share: algorithms made of settings
// (settings.go), groups that train (train.go), models that are written to memory and read
// from there (load.go), and rows (rows.go).
//
// Start reading at [Check] and [Train].
package algorithmtest
