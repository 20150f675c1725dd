// Package ggm learns a mixture of sparse Gaussian graphical models over a group
// (Idé, Phan and Raymond 2024, sections 4.3 to 4.5): means and precisions are shared,
// mixture weights are each participant's own. A participant makes a [Learner] of its rows
// and hands it to collabdict.Train; [Learner.Model] is the mixture. It scores rows, and its
// precisions say which variables depend on each other.
//
// Invariants: data is never modified; the package reads no clock, file, socket or
// global random source; members that receive the same totals compute the same
// parameters, to the bit.
//
// Start reading at [Learner] in learner.go (Algorithm 1); mstep.go has Eqs. (14) to
// (16), start.go the start that all members agree on. [Algorithm] is how the program
// uses it.
package ggm
