//go:build !amd64 || noasm

package blas

import "github.com/collabdict/collabdict/internal/kernels/cpu"

// kernels returns the kernels that this machine can run, fastest first.
func kernels() []kernel[float64] { return []kernel[float64]{portable} }

// kernelsSingle is kernels for float32.
func kernelsSingle() []kernel[float32] { return []kernel[float32]{portableSingle} }

// peakOf returns a loop, and the number of multiplications in one of its iterations.
func peakOf(cpu.Path) (chains int, run func(rounds int)) { return 8, peakPortable }
