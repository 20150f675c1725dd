package netsim

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/collabdict/collabdict/consensus"
)

// A cutter reports whether a message that leaves now is lost.
type cutter interface {
	cuts(from, to int, at time.Duration) bool
}

// A carrier is the network between the members. It decides what happens to a message after it
// has left its sender.
type carrier struct {
	delays          *rand.Rand // draws delays
	cutters         []cutter
	duplicateRate   float64    // probability that a message is delivered twice
	duplicateSource *rand.Rand // draws which messages, and the delays of the second copies
	reorder         Reorder
	reorderSource   *rand.Rand // draws which messages are held back, and for how long
	limited         bool       // whether some links have limited bandwidth
}

// A parcel is a message on its way.
type parcel struct {
	from, to int
	process  int // sender's process; after its end, a lost message is not sent again
	what     consensus.Event
	size     int
	gossip   bool // sent once, over many paths; other messages go over a stream
	tries    int
}

const (
	retryAfter = 200 * time.Millisecond
	mostTries  = 8
)

// planCut loses the messages that c cuts, in the time of w. A cut from begin to end needs no event.
func (n *network) planCut(w When, c cutter) {
	if w.always() {
		n.noteFault(n.planned, 0, open)
		n.cut(c)
		return
	}
	w.plan(n, func(time.Duration) { n.cut(c) }, func(time.Duration) { n.mend(c) })
}

func (n *network) cut(c cutter) { n.cutters = append(n.cutters, c) }
func (n *network) mend(c cutter) {
	n.cutters = slices.DeleteFunc(n.cutters, func(o cutter) bool { return o == c })
}

// carry sends a message on its way.
func (n *network) carry(p parcel, at time.Duration) {
	leaves := at
	if n.limited {
		leaves = n.members[p.from].up.through(at, p.size)
	}
	lost := false
	for _, c := range n.cutters { // each cutter sees every message
		lost = c.cuts(p.from, p.to, leaves) || lost
	}
	takes := n.config.Latency.Delay(p.from, p.to, n.delays)
	if lost {
		n.retry(p, leaves, takes)
		return
	}
	if n.reorder.Rate > 0 && n.reorderSource.Float64() < n.reorder.Rate {
		takes += time.Duration(n.reorderSource.Float64() * float64(n.reorder.Delay))
	}
	n.arrive(p, leaves+takes)
	if n.duplicateRate > 0 && n.duplicateSource.Float64() < n.duplicateRate {
		n.arrive(p, leaves+takes+n.config.Latency.Delay(p.from, p.to, n.duplicateSource))
	}
}

// retry sends a lost message again, once its sender has noticed the loss, and gives up after
// mostTries.
func (n *network) retry(p parcel, at, takes time.Duration) {
	if p.gossip || p.tries+1 == mostTries {
		return
	}
	wait := (retryAfter + 2*takes) << p.tries
	p.tries++
	n.push(event{at: at + wait, to: nobody, what: deed(func(at time.Duration) {
		if m := n.members[p.from]; m.machine != nil && m.process == p.process {
			m.bytes += int64(p.size)
			n.carry(p, at)
		}
	})})
}

// arrive delivers a message after it has passed through the receiver's link.
func (n *network) arrive(p parcel, at time.Duration) {
	m := n.members[p.to]
	if m.down.rate == 0 {
		n.push(event{at: at, to: p.to, what: p.what})
		return
	}
	// The link serves messages in the order of their arrival, so they enter it only then.
	n.push(event{at: at, to: nobody, what: deed(func(at time.Duration) {
		n.push(event{at: m.down.through(at, p.size), to: p.to, what: p.what})
	})})
}
