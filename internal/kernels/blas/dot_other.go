//go:build !amd64 || noasm

package blas

import "github.com/collabdict/collabdict/internal/kernels/cpu"

func vectorKernelOf(cpu.Path) vectorKernel { return vectorKernel{} }
