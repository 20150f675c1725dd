//go:build !noasm

package blas

import "github.com/collabdict/collabdict/internal/kernels/cpu"

func vectorKernelOf(p cpu.Path) vectorKernel {
	switch p {
	case cpu.AVX512:
		return vectorKernel{dotAVX512, axpyAVX512}
	case cpu.AVX2:
		return vectorKernel{dotAVX2, axpyAVX2}
	}
	return vectorKernel{}
}
