package bench

import (
	"os"
	"regexp"
	"strconv"
)

// beginResident starts to measure the process's resident memory. The function returned ends the
// measurement and returns the largest growth, in bytes, or 0 if the kernel cannot reset its
// count.
func beginResident() (end func() float64) {
	before := kernelCount("VmRSS")
	if os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) != nil {
		return func() float64 { return 0 }
	}
	return func() float64 { return kernelCount("VmHWM") - before }
}

// kernelCount returns a field of /proc/self/status in bytes, or 0 if it is absent.
func kernelCount(name string) float64 {
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	m := regexp.MustCompile(name + `:\s+(\d+) kB`).FindSubmatch(b)
	if m == nil {
		return 0
	}
	kilobytes, _ := strconv.ParseFloat(string(m[1]), 64) // digits
	return 1024 * kilobytes
}
