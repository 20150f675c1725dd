package node

import (
	"runtime"

	"github.com/collabdict/collabdict/internal/testkit"
)

var manyHosts = map[bool]int{false: 12, true: 5}[testkit.Raced]

// Only one goroutine may run at a time under the race detector. In a bubble of testing/synctest, a
// due timer is run by any goroutine that waits for one. With go1.26, two goroutines that do so at
// once use the same context of the detector, and the process ends with a SIGSEGV. Races are still
// found, since the detector looks at the happens-before order.
func init() {
	if testkit.Raced {
		runtime.GOMAXPROCS(1)
	}
}
