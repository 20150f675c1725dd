// Package launch runs the members of a consortium as processes on this machine: a
// folder and real ports for each, one agreement for all, and the processes
// themselves.
//
// Start reading at [Layout] and [Start].
package launch
