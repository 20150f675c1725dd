//go:build !amd64

package cpu

import "runtime"

// On these architectures the compiler turns math.FMA into one instruction.
var isFMASlow = func() bool {
	switch runtime.GOARCH {
	case "arm64", "loong64", "ppc64", "ppc64le", "riscv64", "s390x":
		return false
	}
	return true
}()

func vectors() []Path { return nil }
