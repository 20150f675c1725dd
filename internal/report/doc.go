// Package report holds what a run prints as JSON. Field names are a contract:
// fields are added, never renamed. A figure without a value is absent, never
// zero; one that the data do not define, such as the area under a curve with one
// class alone, is null. Beside it stand the rounds as CSV, and the course of a
// simulated run, from which charts are drawn.
//
// Start reading at [Run]; [Course] is of simulations.
package report
