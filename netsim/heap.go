package netsim

import "time"

// event is something that happens to a member: an input of its machine, or one of
// the network's own. seq orders events of one instant.
type event struct {
	at   time.Duration
	seq  uint64
	to   int // a member, or everybody
	what any // a consensus.Event; tick, stop or start
}

// everybody is whom a tick is for.
const everybody = -1

type (
	tick  struct{}
	stop  struct{ restartAfter time.Duration }
	start struct{}
)

// eventHeap is a heap of events by time and sequence.
type eventHeap []event

func (h eventHeap) Len() int { return len(h) }
func (h eventHeap) Less(i, j int) bool {
	return h[i].at < h[j].at || h[i].at == h[j].at && h[i].seq < h[j].seq
}
func (h eventHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

// Push implements heap.Interface.
func (h *eventHeap) Push(x any) { *h = append(*h, x.(event)) }

// Pop implements heap.Interface.
func (h *eventHeap) Pop() any {
	last := len(*h) - 1
	e := (*h)[last]
	(*h)[last] = event{} // let go of the message
	*h = (*h)[:last]
	return e
}
