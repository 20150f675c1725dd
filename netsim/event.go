package netsim

import "time"

// An event is an input of a member's machine, or one of the network's own. seq orders events of
// the same instant.
type event struct {
	at   time.Duration
	seq  uint64
	to   int // a member's rank, everybody or nobody
	what any // a consensus.Event, or one of the types below
}

const (
	everybody = -1 // receivers of a tick
	nobody    = -2 // for the network's own events
)

type (
	tick  struct{}
	start struct{ process int } // the process that was stopped
	// enter is a participant's request after its local update.
	enter struct {
		process int
		request request
	}
	// A deed is called by the network at its time.
	deed func(at time.Duration)
)

// A queue is a heap of events by time and sequence, with four children per node.
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
	h[n] = event{} // release the message
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
