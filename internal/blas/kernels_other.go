//go:build !amd64 || noasm

package blas

// kernels returns those that this machine has, the fastest first.
func kernels() []kernel[float64] { return []kernel[float64]{portable} }

// kernelsSingle are those for float32.
func kernelsSingle() []kernel[float32] { return []kernel[float32]{portableSingle} }
