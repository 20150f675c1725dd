package bench

import (
	"os"
	"regexp"
	"strconv"
)

// beginResident begins to watch how much memory the system counts for this process.
// What it returns ends that, with the bytes that it has grown by at most; 0 where the
// kernel does not begin to count anew.
func beginResident() (end func() float64) {
	before := kernelCount("VmRSS")
	if os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) != nil {
		return func() float64 { return 0 }
	}
	return func() float64 { return kernelCount("VmHWM") - before }
}

// kernelCount returns bytes of /proc/self/status, 0 if they are not there.
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
