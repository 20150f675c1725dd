package netsim

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/wire"
)

// network is the event loop, owned by one goroutine.
type network struct {
	carrier
	config  Config
	plans   []*consensus.Plans // used by rank, in turn
	added   *added             // of all plans
	jobs    []job              // jobs of the batch
	busy    []int              // members with jobs
	part    func(rank int, g *group) error
	running sync.WaitGroup
	slots   chan struct{} // bounds the participants that compute at once
	members []*member
	now     time.Duration
	seq     uint64
	events  queue
	sources map[string]int // number of sources made, by purpose
	tricks  *rand.Rand     // used by adversaries

	round  uint32            // highest round that a member has reached
	rounds map[uint32][]deed // deeds for when a member reaches a round
	churns []*churning

	computing []int         // participants to be heard, in the order in which they began to compute
	hearBy    time.Duration // they must be heard before any event later than this
	live      int           // participants that have not ended
	progress  time.Duration // time of the last decision or start
	common    map[[32]byte]*consensus.Decision
	changes   []*consensus.Amendment // amendments that operators want, in order
	resumes   time.Duration          // time by which all want a pause to end

	planned  Fault // fault whose plan is being made
	episodes []Episode
	decided  []Slot
	sent     struct{ messages, bytes int64 } // sent by all members up to the last of decided
	reached  atomic.Int64                    // time of the last of decided
}

func newNetwork(c Config) (*network, error) {
	if c.Latency == nil {
		c.Latency = Uniform(time.Millisecond) // see Config
	}
	shared := &added{members: len(c.Names)}
	n := &network{
		config: c, added: shared, plans: newPlans(c.Settings, shared), sources: map[string]int{}, rounds: map[uint32][]deed{},
		slots: make(chan struct{}, runtime.GOMAXPROCS(0)), common: map[[32]byte]*consensus.Decision{},
	}
	n.delays, n.tricks = n.source("delay"), n.source("adversary")
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("netsim: %w", err)
	}
	for rank := range c.Names {
		n.members = append(n.members, &member{adversary: c.Adversaries[rank], entropy: source(c.Seed, "entropy", rank)})
	}
	for _, f := range c.Faults {
		n.planned = f
		f.plan(n)
	}
	for rank, m := range n.members {
		machine, err := consensus.New(n.params(rank))
		if err != nil {
			return nil, err
		}
		if m.state != awaited {
			m.machine = machine
		}
	}
	return n, nil
}

func (n *network) params(rank int) consensus.Params {
	return consensus.Params{
		Settings: n.config.Settings, Self: rank, Members: n.config.Names, Run: RunID(n.config.Seed), Plans: n.plans[rank%len(n.plans)],
		Volatile: n.members[rank].disk == nil,
	}
}

// tickEvery is half of the machine's time between two heartbeats.
const tickEvery = 500 * time.Millisecond

// play runs the network until every participant has ended and nobody will restart.
func (n *network) play() {
	for rank, m := range n.members {
		if m.state == awaited {
			n.live++
			continue
		}
		n.launch(rank)
	}
	n.push(event{at: tickEvery, to: everybody, what: tick{}})
	for n.live > 0 {
		next := &n.events[0]
		switch {
		case len(n.computing) > 0 && (next.at > n.hearBy || next.to == everybody):
			n.hearAll()
		case n.computes(next.to):
			n.hear(next.to)
		case n.mayBatch(next) && n.batched(next):
			n.batch()
		default:
			e := n.events.pop()
			n.now = max(n.now, e.at)
			n.apply(e)
		}
	}
}

// apply handles an event.
func (n *network) apply(e event) {
	switch what := e.what.(type) {
	case tick:
		n.push(event{at: e.at + tickEvery, to: everybody, what: tick{}})
		if n.endIfStuck() {
			return
		}
		for rank, m := range n.members {
			if m.clock.Rate == 0 {
				n.step(rank, e.at, consensus.Tick{Learner: m.slotOf(m.learner)})
			}
		}
	case ownTick:
		n.push(event{at: e.at + what.every, to: e.to, what: what})
		n.step(e.to, e.at, consensus.Tick{Learner: n.members[e.to].slotOf(n.members[e.to].learner)})
	case deed:
		what(e.at)
	case start:
		n.restart(e.to, e.at, what.process)
	case enter:
		n.enter(e.to, e.at, what)
	case reformed:
		n.reform(e.to, e.at, what.process)
	case consensus.Event:
		n.step(e.to, e.at, what)
	}
}

// step passes an event to a machine and carries out the effects.
func (n *network) step(rank int, at time.Duration, what consensus.Event) {
	m := n.members[rank]
	if m.machine == nil {
		return // messages to a stopped process are lost
	}
	effects := m.machine.Step(m.local(at), what)
	n.follow(rank, at, effects, sizesOf(effects.Sends, nil))
}

// follow carries out the effects of a step.
func (n *network) follow(rank int, at time.Duration, effects consensus.Effects, sizes []int) {
	m := n.members[rank]
	m.write(effects.Writes)
	for _, d := range effects.Decisions {
		n.decide(rank, at, d)
	}
	for i, s := range effects.Sends {
		n.send(rank, at, s, sizes[i])
	}
	for _, s := range effects.Serves {
		if s.Entry != "" {
			n.serveEntry(rank, at, s)
			continue
		}
		if s.Slot+1 < uint64(len(m.log)) {
			body := &consensus.Decided{Decision: m.log[s.Slot], Next: m.log[s.Slot+1].Certificate}
			msg := consensus.Message{Slot: s.Slot, Body: body}
			n.send(rank, at, consensus.Send{To: s.To, Message: msg}, wire.Size(msg))
		}
	}
	n.answer(rank, at, effects.Err)
}

// serveEntry sends an entry of a member's disk as a message.
func (n *network) serveEntry(rank int, at time.Duration, s consensus.Serve) {
	msg, err := consensus.SealOf(s.Slot, n.members[rank].disk[s.Slot][s.Entry])
	if err != nil {
		panic("netsim: " + err.Error()) // the machine wrote the disk
	}
	n.send(rank, at, consensus.Send{To: s.To, Message: msg}, wire.Size(msg))
}

// decide adds a decision to a member's log. Data that is the same at all members is held once.
func (n *network) decide(rank int, at time.Duration, d *consensus.Decision) {
	m := n.members[rank]
	if c := n.common[d.Chain]; c != nil {
		d.Members, d.Missing, d.Total, d.Blobs, d.Certificate, d.Running = c.Members, c.Missing, c.Total, c.Blobs, c.Certificate, c.Running
	} else {
		n.common[d.Chain] = d
		n.added.memo.Clear()
	}
	m.enter(d)
	if d.Kind == consensus.Amend {
		n.push(event{at: at, to: rank, what: reformed{m.process}})
	}
	n.noteDecision(at, d)
	n.progress = n.now
	if n.config.Observer != nil {
		n.config.Observer.Decided(rank, d, m.machine.Counted(d))
	}
}

// answer passes a participant the answer that it waits for, if it is known.
func (n *network) answer(rank int, at time.Duration, err error) {
	m := n.members[rank]
	if m.state != waiting {
		return
	}
	a := answer{err: err, known: m.answers}
	if m.group.calls <= uint64(len(m.answers)) {
		a.decision, a.err = m.answers[m.group.calls-1], nil
	}
	if a.decision == nil && a.err == nil {
		return
	}
	m.call = consensus.Call{}
	n.compute(rank, at)
	m.group.reply <- a
}

// A letter is a message and the event at its receivers. There is no event if the message is
// malformed, since receivers drop it.
type letter struct {
	message  consensus.Message
	received consensus.Event
}

func (n *network) letter(from int, m consensus.Message) letter {
	v, err := consensus.Validate(m, len(n.members))
	if err != nil {
		return letter{message: m}
	}
	return letter{m, consensus.Receive{From: from, Message: v}}
}

// send sends a message to its receivers.
func (n *network) send(from int, at time.Duration, s consensus.Send, size int) {
	l := n.letter(from, s.Message)
	if s.To != consensus.All {
		n.leave(parcel{from: from, to: s.To, size: size}, at, l)
		return
	}
	for to := range n.members {
		if to != from {
			n.leave(parcel{from: from, to: to, size: size, gossip: true}, at, l)
		}
	}
}

// leave sends a message, or an adversary's replacement, to one member.
func (n *network) leave(p parcel, at time.Duration, l letter) {
	m := n.members[p.from]
	if m.adversary == nil {
		n.depart(p, at, l)
		return
	}
	for _, msg := range m.adversary.Send(p.to, l.message, n.tricks) {
		n.depart(p, at, n.letter(p.from, msg))
	}
}

func (n *network) depart(p parcel, at time.Duration, l letter) {
	m := n.members[p.from]
	m.messages++
	m.bytes += int64(p.size)
	if n.config.Observer != nil {
		n.config.Observer.Sent(p.from, p.to, l.message)
	}
	if l.received != nil {
		p.what, p.process = l.received, m.process
		n.carry(p, at)
	}
}

func (n *network) push(e event) {
	e.seq = n.seq
	n.seq++
	n.events.push(e)
}
