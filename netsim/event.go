package netsim

import "time"

// event is something that happens to a member: an input of its machine, or one of
// the network's own. seq orders events of one instant.
type event struct {
	at   time.Duration
	seq  uint64
	to   int // a member, everybody or nobody
	what any // a consensus.Event, or one of the types below
}

const (
	everybody = -1 // whom a tick is for
	nobody    = -2 // whom what the network itself does is for
)

type (
	tick  struct{}
	start struct{ process int } // the one that was stopped
	// enter is a participant's request, when its local update is over.
	enter struct {
		process int
		request request
	}
	// deed is done by the network at its time.
	deed func(at time.Duration)
)

// queue is a heap of events by time and sequence, with four children a node.
type queue []event

func (a *event) before(b *event) bool { return a.at < b.at || a.at == b.at && a.seq < b.seq }

func (q *queue) push(e event) {
	h := append(*q, e)
	i := len(h) - 1
	for i > 0 {
		up := (i - 1) / 4
		if !e.before(&h[up]) {
			break
		}
		h[i] = h[up]
		i = up
	}
	h[i] = e
	*q = h
}

func (q *queue) pop() event {
	h := *q
	top := h[0]
	n := len(h) - 1
	last := h[n]
	h[n] = event{} // let go of the message
	h = h[:n]
	*q = h
	for i := 0; n > 0; {
		least := 4*i + 1
		if least >= n {
			h[i] = last
			break
		}
		for c := least + 1; c < min(4*i+5, n); c++ {
			if h[c].before(&h[least]) {
				least = c
			}
		}
		if !h[least].before(&last) {
			h[i] = last
			break
		}
		h[i] = h[least]
		i = least
	}
	return top
}
