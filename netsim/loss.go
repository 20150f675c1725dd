package netsim

import (
	"cmp"
	"math/rand/v2"
	"time"
)

// Loss loses each message to and from the members with probability Rate, whatever its size. A
// message over a stream is sent again after 0.2 s and a round trip, then after twice the time
// each, at most seven times. After that it never arrives; later messages do. A gossip message is
// sent once.
type Loss struct {
	Rate    float64
	Members []int // none: all
	When
}

func (l Loss) check(size int) error {
	return cmp.Or(checkRate(l.Rate), checkMembers(l.Members, size), l.When.check())
}

func (l Loss) plan(n *network) {
	n.planCut(l.When, &lossy{rate: l.Rate, of: in(l.Members, len(n.members)), rng: n.source("loss")})
}

type lossy struct {
	rate float64
	of   []bool
	rng  *rand.Rand
}

func (l *lossy) cuts(from, to int, _ time.Duration) bool {
	return (l.of[from] || l.of[to]) && l.rng.Float64() < l.rate
}

// Duplicate delivers each message twice with probability Rate. The network has one such rate, so
// the later of two that overlap sets it, and the first to end sets it to 0.
type Duplicate struct {
	Rate float64
	When
}

func (d Duplicate) check(int) error { return cmp.Or(checkRate(d.Rate), d.When.check()) }

func (d Duplicate) plan(n *network) {
	if n.duplicateSource == nil {
		n.duplicateSource = n.source("duplicate")
	}
	d.When.plan(n, func(time.Duration) { n.duplicateRate = d.Rate }, func(time.Duration) { n.duplicateRate = 0 })
}

// Reorder holds each message back with probability Rate, by up to Delay, so that later ones
// overtake it. Messages whose latency varies overtake each other anyway. Two that overlap replace
// and end each other as with [Duplicate].
type Reorder struct {
	Rate  float64
	Delay time.Duration
	When
}

func (r Reorder) check(int) error {
	return cmp.Or(checkPositive("reorder", r.Delay), checkRate(r.Rate), r.When.check())
}

func (r Reorder) plan(n *network) {
	if n.reorderSource == nil {
		n.reorderSource = n.source("reorder")
	}
	r.When.plan(n, func(time.Duration) { n.reorder = r }, func(time.Duration) { n.reorder = Reorder{} })
}
