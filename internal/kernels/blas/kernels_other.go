//go:build !amd64 || noasm

package blas

import "github.com/collabdict/collabdict/internal/kernels/cpu"

// kernels returns those that this machine has, the fastest first.
func kernels() []kernel[float64] { return []kernel[float64]{portable} }

// kernelsSingle are those for float32.
func kernelsSingle() []kernel[float32] { return []kernel[float32]{portableSingle} }

// peakOf returns a loop, and how many multiplications are in a round of it.
func peakOf(cpu.Path) (chains int, run func(rounds int)) { return 8, peakPortable }
