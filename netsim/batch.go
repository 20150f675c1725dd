package netsim

import (
	"runtime"
	"sync"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/wire"
)

// No message takes less than the least latency. So events of different members within that time
// cannot be causes of each other. The machines of different members step in parallel, and their
// effects are carried out in the order of the events.

// A job is a step of a machine.
type job struct {
	event   event
	effects consensus.Effects
	sizes   []int // encoded sizes of the messages, by Send
	held    bool  // not made yet, since the participant may have to be heard first
}

const (
	// mostJobs bounds a batch. Fewer than fewJobs are not worth running in parallel.
	mostJobs = 1 << 18
	fewJobs  = 4
)

// batch makes the next steps of machines, as many as may run in parallel.
func (n *network) batch() {
	end := n.events[0].at + n.config.Latency.Least()
	jobs := n.jobs[:0]
	for len(n.events) > 0 && len(jobs) < mostJobs {
		next := &n.events[0]
		if len(jobs) > 0 && next.at >= end || !n.mayBatch(next) {
			break
		}
		if n.computes(next.to) {
			n.hear(next.to) // its next request may come first
			continue
		}
		if !n.batched(next) {
			break
		}
		e := n.events.pop()
		n.now = max(n.now, e.at)
		end = min(end, e.at+n.config.Latency.Least()) // a call may be made late
		m := n.members[e.to]
		if call, is := e.what.(enter); is {
			e.what = nil
			if m.process == call.process && m.state == updating {
				e.what = n.called(e.to, e.at, call)
			}
		}
		if m.machine != nil && e.what != nil {
			if len(m.jobs) == 0 {
				n.busy = append(n.busy, e.to)
			}
			m.jobs = append(m.jobs, len(jobs))
			jobs = append(jobs, job{event: e})
		}
	}
	n.make(jobs)
	for i := range jobs {
		j := &jobs[i]
		if j.held {
			n.events.push(j.event) // which puts it in its old place
		} else {
			n.follow(j.event.to, j.event.at, j.effects, j.sizes)
		}
		*j = job{}
	}
	for _, rank := range n.busy {
		m := n.members[rank]
		m.jobs, m.held = m.jobs[:0], false
	}
	n.jobs, n.busy = jobs[:0], n.busy[:0]
}

// mayBatch reports whether an event may be in a batch: it belongs to one member, and no
// participant must be heard before it.
func (n *network) mayBatch(e *event) bool {
	return e.to >= 0 && (len(n.computing) == 0 || e.at <= n.hearBy)
}

// batched reports whether the next event may join the batch.
func (n *network) batched(e *event) bool {
	m := n.members[e.to]
	switch what := e.what.(type) {
	case consensus.Receive:
		return true
	case enter: // a decision before it would be its answer
		return len(m.jobs) == 0 && !what.request.ended && uint64(len(m.answers)) < m.group.calls
	}
	return false
}

// make makes the steps of a batch. Each worker makes all steps of a member, in their order,
// before those of the next, so that the member's state is fetched from memory once.
func (n *network) make(jobs []job) {
	workers := len(n.plans)
	if len(jobs) < fewJobs {
		workers = 1
	}
	work := func(worker int) {
		for _, rank := range n.busy {
			if rank%workers == worker {
				for _, i := range n.members[rank].jobs {
					n.makeOne(&jobs[i])
				}
			}
		}
	}
	var all sync.WaitGroup
	for w := 1; w < workers; w++ {
		all.Go(func() { work(w) })
	}
	work(0)
	all.Wait()
}

func (n *network) makeOne(j *job) {
	m := n.members[j.event.to]
	if m.held {
		j.held = true
		return
	}
	j.effects = m.machine.Step(m.local(j.event.at), j.event.what.(consensus.Event))
	j.sizes = sizesOf(j.effects.Sends, j.sizes)
	m.held = len(j.effects.Decisions) > 0 || j.effects.Err != nil // its participant must be heard
}

// sizesOf returns the encoded sizes of messages. A vector that goes to several neighbours is
// measured once.
func sizesOf(sends []consensus.Send, sizes []int) []int {
	var sized consensus.Body
	size := 0
	for _, s := range sends {
		if s.Message.Body != sized {
			sized, size = s.Message.Body, wire.Size(s.Message)
		}
		sizes = append(sizes, size)
	}
	return sizes
}

// newPlans returns one Plans per processor, since machines that step in parallel cannot share
// one.
func newPlans(s consensus.Settings, shared *added) (plans []*consensus.Plans) {
	for range runtime.GOMAXPROCS(0) {
		p := consensus.NewPlans(s)
		p.Repeated = &repeated{added: shared}
		plans = append(plans, p)
	}
	return plans
}
