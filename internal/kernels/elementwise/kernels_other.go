//go:build !amd64 || noasm

package elementwise

// all returns the kernels that this machine has, the fastest first.
func all() []*kernels { return []*kernels{portable} }
