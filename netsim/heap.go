package netsim

import (
	"time"

	"github.com/collabdict/collabdict/consensus"
)

// event is something that happens to a member. seq orders events of one instant.
type event struct {
	at   time.Duration
	seq  uint64
	to   int
	what consensus.Event
}

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
