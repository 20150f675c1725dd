// Package report defines the results that a run prints as JSON. Field names are a contract:
// fields are added, never renamed. A figure without a value is absent, never zero. A figure
// that the data do not define, such as the area under a curve with only one class, is null. The
// package also has the rounds as CSV, and the course of a simulated run, for figures.
//
// Start reading at [Run]; [Course] is for simulations.
package report
