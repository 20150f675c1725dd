package cpu

import "golang.org/x/sys/cpu"

var isFMASlow = !cpu.X86.HasFMA

// vectors returns the paths that the processor and the operating system support.
func vectors() (found []Path) {
	x := &cpu.X86
	if !withAssembly || !x.HasAVX2 || !x.HasFMA {
		return nil
	}
	if x.HasAVX512F && x.HasAVX512BW && x.HasAVX512DQ && x.HasAVX512VL {
		found = append(found, AVX512)
	}
	return append(found, AVX2)
}
