//go:build !amd64 || noasm

package elementwise

// all returns the kernels that this machine can run, fastest first.
func all() []*kernels { return []*kernels{portable} }
