// Package cli is the operator's program: each command parses its flags, calls the rooms below, and
// prints what they return, as text or as one JSON object.
//
// Invariants: standard output of a command with --json is one object, also after an error; an exit code
// belongs to the type of the error. A member that up has started first writes its states, each as an
// object.
//
// Start reading at root.go, then run.go.
package cli
