package netsim

import (
	"container/heap"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"time"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/wire"
)

// network is the event loop: one goroutine owns it.
type network struct {
	config  Config
	plans   *consensus.Plans
	part    func(rank int, g *group) error
	running sync.WaitGroup
	slots   chan struct{} // participants computing at once
	members []*member
	now     time.Duration
	seq     uint64
	events  eventHeap
	delay   *rand.Rand

	computing []int         // participants to be heard, in the order in which they began
	hearBy    time.Duration // before any event later than this
	live      int           // participants that have not ended
	progress  time.Duration // of the last decision or start
	common    map[[32]byte]*consensus.Decision
}

func newNetwork(c Config) (*network, error) {
	n := &network{
		config: c, plans: consensus.NewPlans(c.Settings), delay: rand.New(source(c.Seed, "delay", 0)),
		slots: make(chan struct{}, runtime.GOMAXPROCS(0)), common: map[[32]byte]*consensus.Decision{},
	}
	for rank := range c.Names {
		machine, err := consensus.New(n.params(rank))
		if err != nil {
			return nil, err
		}
		n.members = append(n.members, &member{machine: machine, entropy: source(c.Seed, "entropy", rank)})
	}
	for _, f := range c.Faults {
		if f.Member < 0 || f.Member >= len(n.members) || f.After < 0 || f.RestartAfter < 0 {
			return nil, fmt.Errorf("netsim: fault %+v: want a member from 0 to %d and times of at least 0", f, len(n.members)-1)
		}
		m := n.members[f.Member]
		m.planned = append(m.planned, f)
		m.disk = map[uint64]map[string][]byte{}
	}
	return n, nil
}

func (n *network) params(rank int) consensus.Params {
	return consensus.Params{Settings: n.config.Settings, Self: rank, Members: n.config.Names, Run: RunID(n.config.Seed), Plans: n.plans}
}

// tickEvery is half of the machine's time between two Beats.
const tickEvery = 500 * time.Millisecond

// play runs the network until every participant has ended its part and nobody is
// to be started again.
func (n *network) play() {
	for rank := range n.members {
		n.launch(rank)
	}
	n.push(event{at: tickEvery, to: everybody, what: tick{}})
	for n.live > 0 {
		next := n.events[0]
		switch {
		case len(n.computing) > 0 && (next.at > n.hearBy || next.to == everybody):
			n.hearAll()
		case next.to != everybody && n.members[next.to].machine != nil && n.members[next.to].state == computing:
			n.hear(next.to)
		default:
			e := heap.Pop(&n.events).(event)
			n.now = max(n.now, e.at)
			n.apply(e)
		}
	}
}

// apply lets an event happen.
func (n *network) apply(e event) {
	switch what := e.what.(type) {
	case tick:
		n.push(event{at: e.at + tickEvery, to: everybody, what: tick{}})
		if n.endIfStuck() {
			return
		}
		for rank, m := range n.members {
			n.step(rank, e.at, consensus.Tick{Learner: m.group.calls})
		}
	case stop:
		n.stop(e.to, e.at, what)
	case start:
		n.restart(e.to, e.at)
	case consensus.Event:
		n.step(e.to, e.at, what)
	}
}

// step gives an event to a machine and carries out the effects.
func (n *network) step(rank int, at time.Duration, what consensus.Event) {
	m := n.members[rank]
	if m.machine == nil {
		return // what reaches a stopped process is lost
	}
	effects := m.machine.Step(at, what)
	m.write(effects.Writes)
	for _, d := range effects.Decisions {
		n.decide(rank, d)
	}
	var sized consensus.Body
	size := 0
	for _, s := range effects.Sends {
		if s.Message.Body != sized { // a vector goes to several neighbours
			sized, size = s.Message.Body, wire.Size(s.Message)
		}
		n.send(rank, at, s, size)
	}
	for _, s := range effects.Serves {
		if s.Slot+1 < uint64(len(m.log)) {
			body := &consensus.Decided{Decision: m.log[s.Slot], Next: m.log[s.Slot+1].Certificate}
			msg := consensus.Message{Slot: s.Slot, Body: body}
			n.send(rank, at, consensus.Send{To: s.To, Message: msg}, wire.Size(msg))
		}
	}
	n.answer(rank, at, effects.Err)
}

// decide enters a decision into a member's log. What is the same everywhere is
// held once.
func (n *network) decide(rank int, d *consensus.Decision) {
	m := n.members[rank]
	if c := n.common[d.Chain]; c != nil {
		d.Members, d.Missing, d.Total, d.Blobs, d.Certificate = c.Members, c.Missing, c.Total, c.Blobs, c.Certificate
	} else {
		n.common[d.Chain] = d
	}
	m.log = append(m.log, d)
	m.record.Add(d)
	n.progress = n.now
	if n.config.Observer != nil {
		n.config.Observer.Decided(rank, d)
	}
}

// answer hands a participant what it waits for, if that is known.
func (n *network) answer(rank int, at time.Duration, err error) {
	m := n.members[rank]
	if m.state != waiting {
		return
	}
	a := answer{err: err}
	if m.group.calls <= uint64(len(m.log)) {
		a = answer{decision: m.log[m.group.calls-1]}
	}
	if a.decision == nil && a.err == nil {
		return
	}
	n.compute(rank, at)
	m.group.reply <- a
}

func (n *network) send(from int, at time.Duration, s consensus.Send, size int) {
	m := n.members[from]
	for to := range n.members {
		if to == from || s.To != consensus.All && s.To != to {
			continue
		}
		m.messages++
		m.bytes += int64(size)
		if n.config.Observer != nil {
			n.config.Observer.Sent(from, to, s.Message)
		}
		latency := time.Duration(float64(n.config.Latency) * (0.5 + n.delay.Float64()))
		n.push(event{at: at + latency, to: to, what: consensus.Receive{From: from, Message: s.Message}})
	}
}

func (n *network) push(e event) {
	e.seq = n.seq
	n.seq++
	heap.Push(&n.events, e)
}
