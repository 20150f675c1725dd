//go:build !amd64 || noasm

package blas

// kernels returns those that this machine has, the fastest first.
func kernels() []kernel { return []kernel{portable} }
