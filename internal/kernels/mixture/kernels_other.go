//go:build !amd64 || noasm

package mixture

// all returns the kernels that this machine has, the fastest first.
func all() []*kernels { return []*kernels{portable} }
