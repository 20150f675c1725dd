package node

import (
	"runtime"

	"github.com/collabdict/collabdict/consensus"
)

// collectFrom is the least size in bytes of a vector after whose writing the heap is
// collected.
const collectFrom = 4 << 20

// collectAfter collects the heap when a long vector has been written: the call, the
// sealed result, the total. Each is where a stage of a long sum ends, which leaves as
// much behind as the next one needs: parts that were sent, pages of the database. Left
// to itself the collector would let them add up to what is in use. It takes the time
// of looking through what has pointers, which vectors do not have.
func collectAfter(e consensus.Effects) {
	for _, w := range e.Writes {
		if w.Size() >= collectFrom {
			runtime.GC()
			return
		}
	}
	for _, d := range e.Decisions {
		if 8*len(d.Total) >= collectFrom {
			runtime.GC()
			return
		}
	}
}
