package node

import (
	"runtime"
	"runtime/metrics"

	"github.com/collabdict/collabdict/consensus"
)

// The least size in bytes of a vector after whose writing the heap is collected, and
// the least share of the heap in use: a program that holds much else is not to look
// through it for what is little.
const (
	collectFrom  = 4 << 20
	collectShare = 128
)

// collectAfter collects the heap when a long vector has been written: the call, the
// sealed result, the total. Each is where a stage of a long sum ends, which leaves as
// much behind as the next one needs: parts that were sent, pages of the database. Left
// to itself the collector would let them add up to what is in use. It takes the time
// of looking through what has pointers, which vectors do not have.
func collectAfter(e consensus.Effects) {
	if size := longest(e); size >= collectFrom && collects(size, heapInUse()) {
		runtime.GC()
	}
}

func collects(size int, inUse uint64) bool { return uint64(size) >= inUse/collectShare }

// longest returns the size of the longest vector that was written.
func longest(e consensus.Effects) (size int) {
	for _, w := range e.Writes {
		size = max(size, w.Size())
	}
	for _, d := range e.Decisions {
		size = max(size, 8*len(d.Total))
	}
	return size
}

// heapInUse returns the bytes that the last collection has left.
func heapInUse() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}
