// Package outcome says what a run has come to: what its model has learned, and what others can see of
// the member. inspect prints that, and the page of a run shows it. Open shows the folder of a finished
// run as the page of a running process does.
//
// Start reading at [Open].
package outcome
