// Package cpu determines which instructions the kernels of this process use. It is the only
// place that does, so all kernels use the same ones.
//
// Invariant: the path is fixed before main begins, and this machine can run it. Start reading
// at [Active].
package cpu
