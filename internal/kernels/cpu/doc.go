// Package cpu says which instructions the kernels of this process are made of: the
// one place where that is found out, so that all kernels are of the same kind.
//
// Invariant: the path is fixed before main begins, and it is one that this machine
// can run. Start reading at [Active].
package cpu
