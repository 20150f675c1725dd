// Package report holds what a run prints as JSON. Field names are a contract:
// fields are added, never renamed. A figure without a value is absent, never
// zero; one that the data do not define, such as the area under a curve with one
// class alone, is null.
//
// Start reading at [Run].
package report
