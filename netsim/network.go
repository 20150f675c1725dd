package netsim

import (
	"container/heap"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/wire"
)

// network is the event loop: one goroutine owns it.
type network struct {
	config  Config
	members []member
	now     time.Duration
	seq     uint64
	events  eventHeap
	delay   *rand.Rand
}

// member is one participant as the network sees it.
type member struct {
	machine  *consensus.Machine
	group    group
	entropy  *rand.ChaCha8
	record   consensus.Record
	waiting  bool // for the outcome of a call
	ended    bool
	round    uint32
	messages int64
	bytes    int64
	err      error
	network  bool // err came from the machine, so is perhaps another's doing
}

func newNetwork(c Config) (*network, error) {
	plan, err := consensus.NewPlan(c.Settings, len(c.Names))
	if err != nil {
		return nil, err
	}
	n := &network{config: c, delay: rand.New(source(c.Seed, "delay", 0))}
	for rank := range c.Names {
		m, err := consensus.New(consensus.Params{
			Settings: c.Settings, Self: rank, Members: c.Names, Run: runOf(c.Seed), Plan: plan,
		})
		if err != nil {
			return nil, err
		}
		n.members = append(n.members, member{
			machine: m,
			group: group{
				size: len(c.Names),
				ask:  make(chan request), reply: make(chan *consensus.Outcome),
			},
			entropy: source(c.Seed, "entropy", rank),
		})
	}
	return n, nil
}

// play runs the network until every participant has ended its part.
func (n *network) play() {
	for n.hear() {
		n.deliverUntilAnswered()
	}
}

// hear takes the next request of every participant that computes, in rank order,
// and says whether any participant waits for an outcome.
func (n *network) hear() bool {
	waiting := false
	for rank := range n.members {
		m := &n.members[rank]
		if m.ended || m.waiting {
			waiting = waiting || m.waiting
			continue
		}
		r := <-m.group.ask
		if r.nonce != nil {
			m.machine.SetNonce(*r.nonce)
		}
		if r.ended {
			n.end(rank, r.err)
			continue
		}
		m.entropyInto(&r.call.Entropy)
		m.waiting, m.round = true, r.call.Round
		n.push(event{at: n.now, to: rank, what: r.call})
		waiting = true
	}
	return waiting
}

func (m *member) entropyInto(dst *[32]byte) {
	if _, err := m.entropy.Read(dst[:]); err != nil {
		panic(err) // a ChaCha8 never fails
	}
}

// end tells the machine that its participant has ended.
func (n *network) end(rank int, err error) {
	m := &n.members[rank]
	m.ended, m.err = true, err
	var left *consensus.MemberError
	var lost *consensus.LostError
	m.network = errors.As(err, &left) || errors.As(err, &lost)
	if err != nil {
		n.push(event{at: n.now, to: rank, what: consensus.Abort{Reason: "its part in the simulation has failed"}})
		return
	}
	n.push(event{at: n.now, to: rank, what: consensus.Finish{}})
}

// deliverUntilAnswered plays events until no participant waits for an outcome.
// Time passes in ticks, so that what is stuck is found lost in the end.
func (n *network) deliverUntilAnswered() {
	tick := n.now
	for n.anyWaiting() {
		if n.events.Len() == 0 || n.events[0].at > tick+tickEvery {
			tick += tickEvery
			for rank := range n.members {
				n.push(event{at: tick, to: rank, what: consensus.Tick{}})
			}
		}
		e := heap.Pop(&n.events).(event)
		n.now = e.at
		n.apply(e)
	}
}

// tickEvery is half of the machine's time between two Beats.
const tickEvery = 500 * time.Millisecond

func (n *network) anyWaiting() bool {
	for i := range n.members {
		if n.members[i].waiting {
			return true
		}
	}
	return false
}

// apply gives an event to its machine and carries out the effects.
func (n *network) apply(e event) {
	m := &n.members[e.to]
	effects := m.machine.Step(n.now, e.what)
	var sized consensus.Body
	size := 0
	for _, s := range effects.Sends {
		if s.Message.Body != sized { // a vector goes to several neighbours
			sized, size = s.Message.Body, wire.Size(s.Message)
		}
		n.send(e.to, s, size)
	}
	if out := effects.Outcome; out != nil {
		if out.Err == nil {
			m.record.Add(m.round, out)
		}
		m.waiting = false
		m.group.reply <- out
	}
}

func (n *network) send(from int, s consensus.Send, size int) {
	m := &n.members[from]
	for to := range n.members {
		if to == from || s.To != consensus.All && s.To != to {
			continue
		}
		m.messages++
		m.bytes += int64(size)
		latency := time.Duration(float64(n.config.Latency) * (0.5 + n.delay.Float64()))
		n.push(event{at: n.now + latency, to: to, what: consensus.Receive{From: from, Message: s.Message}})
	}
}

func (n *network) push(e event) {
	e.seq = n.seq
	n.seq++
	heap.Push(&n.events, e)
}
