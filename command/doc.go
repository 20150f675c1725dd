// Package command is the program collabdict, for mains that add algorithms of their own.
//
// A program with an algorithm that this repository does not know is a main of a few lines:
//
//	package main
//
//	import (
//		"os"
//
//		"github.com/collabdict/collabdict/command"
//		"example.org/detect"
//	)
//
//	func main() { os.Exit(command.Main(detect.Kind)) }
//
// It has all commands of collabdict. With --model and the name of the algorithm, they train by it:
// sim in one process over a simulated network, up with one process per participant, and run as one
// member of a consortium. Its options are flags, keys of consortium.yaml and fields of what members
// agree on. The other commands check, score, evaluate, inspect and list what has left a folder, as for
// the algorithms of this repository. All members of a run must run programs with the same algorithms.
//
// An [algorithm.Kind] is a name, a line of help, and a function that returns a new
// [algorithm.Algorithm]. That has
//
//   - Options: its settings, as a table of package option;
//   - Prepare: checks of settings against each other;
//   - Traits: what it requires of a run, such as a number of rows;
//   - Disclosure: what members show each other. A collective that it does not list ends the program
//     before anything is sent;
//   - Learn: one participant's part, by sums and gathers over a [collabdict.Group]. Most algorithms are
//     a [collabdict.Learner] and a call of [collabdict.Train];
//   - Load: its model, from the arrays of a model file.
//
// The folder examples/mean is such a program, with an algorithm of a hundred lines.
//
// A program that needs no commands, but takes part in a run itself, joins with [node.Join]; see
// examples/outsider.
//
// Invariant: an algorithm from outside passes through the same inventory, protection and agreement as
// those of this repository. It cannot send anything else.
package command
