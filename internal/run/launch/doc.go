// Package launch runs the members of a consortium as processes on this machine, each with a
// folder and real ports, under one agreement.
//
// Start reading at [Layout] and [Start].
package launch
