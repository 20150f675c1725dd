package node

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/node/store"
)

// loop is the goroutine that owns the machine. Its fields up to the channels
// belong to that goroutine.
type loop struct {
	machine *consensus.Machine
	start   time.Time // of the run; the machine's time counts from here
	names   []string
	self    int
	run     [32]byte
	store   *store.Store
	pending *request // the call under way
	ended   map[int]bool
	last    progress
	nagged  time.Duration // how long the members waited for were last said to be late

	inbox    chan consensus.Receive
	requests chan *request
	stopped  chan struct{} // closed when the loop has returned
	allEnded chan struct{} // closed when every other member has finished or left

	longest atomic.Int64 // values of a Sum so far

	send   func(consensus.Send)
	every  time.Duration // between two ticks
	log    hclog.Logger
	status atomic.Pointer[snapshot]
	busy   atomic.Int64 // when the work under way began, in nanoseconds since start, or idle
}

// request is something for the loop to do: an event for the machine, or do.
type request struct {
	event   consensus.Event
	do      func(m *consensus.Machine)
	outcome chan consensus.Outcome // of capacity 1
}

// inboxSize bounds the messages that wait for the loop: few, since each may be a
// vector. Beyond that the senders' streams are held back.
const inboxSize = 32

func newLoop(m *consensus.Machine, every time.Duration, names []string, n *Node) *loop {
	l := &loop{
		machine: m, start: time.Now(), names: names, self: n.self, run: n.run, store: n.store, ended: map[int]bool{},
		inbox: make(chan consensus.Receive, inboxSize), requests: make(chan *request),
		stopped: make(chan struct{}), allEnded: make(chan struct{}),
		send: n.post, every: every, log: n.log,
	}
	l.busy.Store(idle)
	l.publish()
	return l
}

func (l *loop) main(ctx context.Context) {
	defer close(l.stopped)
	ticker := time.NewTicker(l.every)
	defer ticker.Stop()
	l.step(consensus.Tick{})
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			l.work(func() {
				l.step(consensus.Tick{})
				l.nag()
			})
		case r := <-l.inbox:
			l.work(func() {
				l.step(r)
				l.note(r)
			})
		case q := <-l.requests:
			l.work(func() { l.serve(q) })
		}
	}
}

// deliver hands the loop a message from another member.
func (l *loop) deliver(from int, m consensus.Message) {
	select {
	case l.inbox <- consensus.Receive{From: from, Message: m}:
	case <-l.stopped:
	}
}

// messageMost returns the most bytes of a message that a member may send by now.
// No vector of a Sum comes before this member's own call, since its sender needs
// this one's Ready; those of earlier calls may come late.
func (l *loop) messageMost() int {
	return max(mostBytes, 8*int(l.longest.Load())) + envelope
}

// ask hands the loop a request and waits for its outcome.
func (l *loop) ask(ctx context.Context, q *request) (consensus.Outcome, error) {
	q.outcome = make(chan consensus.Outcome, 1)
	select {
	case l.requests <- q:
	case <-l.stopped:
		return consensus.Outcome{}, ErrClosed
	case <-ctx.Done():
		return consensus.Outcome{}, ctx.Err()
	}
	select {
	case out := <-q.outcome:
		return out, out.Err
	case <-l.stopped:
		return consensus.Outcome{}, ErrClosed
	case <-ctx.Done():
		return consensus.Outcome{}, ctx.Err()
	}
}

// serve takes a request. What the machine would panic on is refused here.
func (l *loop) serve(q *request) {
	_, call := q.event.(consensus.Call)
	_, finish := q.event.(consensus.Finish)
	state := l.machine.Status().State
	switch {
	case (call || finish) && l.pending != nil:
		q.outcome <- consensus.Outcome{Err: ErrBusy}
	case call && state == consensus.Finished:
		q.outcome <- consensus.Outcome{Err: ErrFinished}
	case finish && state == consensus.Failed:
		q.outcome <- consensus.Outcome{Err: ErrFailed}
	case call:
		l.pending = q
		l.longest.Store(max(l.longest.Load(), int64(len(q.event.(consensus.Call).Values))))
		l.step(q.event)
	case q.event != nil:
		l.step(q.event)
		q.outcome <- consensus.Outcome{}
	default:
		q.do(l.machine)
		q.outcome <- consensus.Outcome{}
	}
}

func (l *loop) step(ev consensus.Event) {
	e := l.machine.Step(time.Since(l.start), ev)
	l.apply(e)
	if _, received := ev.(consensus.Receive); !received || len(e.Sends) > 0 || e.Outcome != nil {
		l.publish()
	}
}

// apply carries out what the machine wants: first the writes, then the sends,
// then the outcome. Nothing leaves that should have been written and was not.
func (l *loop) apply(e consensus.Effects) {
	if err := l.store.Apply(l.run, e.Writes, l.record(e.Outcome)); err != nil {
		l.log.Error("the run ends here", "error", err)
		e = l.machine.Step(time.Since(l.start), consensus.Abort{Reason: "cannot write its state"})
		if e.Outcome == nil {
			e.Outcome = &consensus.Outcome{}
		}
		e.Outcome.Err = err
	}
	for _, s := range e.Sends {
		l.send(s)
	}
	if e.Outcome != nil && l.pending != nil {
		l.last.note(l.pending.event, e.Outcome)
		l.publish() // so that the caller finds its own call in the status
		l.pending.outcome <- *e.Outcome
		l.pending = nil
	}
}

// record returns what to keep of a slot that has been opened.
func (l *loop) record(out *consensus.Outcome) *store.Record {
	if out == nil || out.Err != nil || l.pending == nil {
		return nil
	}
	call := l.pending.event.(consensus.Call)
	return &store.Record{
		Slot: out.Slot, Kind: call.Kind.String(), Round: call.Round,
		Invited: l.names, Sum: l.names, Digest: out.Digest,
	}
}

// note watches for the ends of the others' runs.
func (l *loop) note(r consensus.Receive) {
	before := len(l.ended)
	switch b := r.Message.Body.(type) {
	case *consensus.Leave:
		if !l.ended[r.From] {
			l.log.Warn("a member has left", "name", l.names[r.From], "reason", printable(b.Reason))
		}
		l.ended[r.From] = true
	case *consensus.Beat:
		if b.State == consensus.Finished || b.State == consensus.Failed {
			l.ended[r.From] = true
		}
	}
	if len(l.ended) == before {
		return
	}
	l.publish()
	if len(l.ended) == len(l.names)-1 {
		close(l.allEnded)
	}
}

// nag says whom the run waits for: after a while, and then each time the wait has
// doubled.
func (l *loop) nag() {
	s := l.status.Load()
	names, first := l.namesOf(s.machine.Waiting), 10*time.Second
	if len(s.unfinished) > 0 {
		names, first = s.unfinished, 2*time.Second
	}
	waited := time.Since(l.start) - s.machine.Since
	if len(names) == 0 || waited < first {
		l.nagged = 0
		return
	}
	if waited >= max(first, 2*l.nagged) {
		l.nagged = waited
		l.log.Info("waiting", "for", names, "seconds", int(waited.Seconds()), "state", s.machine.State)
	}
}

func (l *loop) namesOf(ranks []int) []string {
	names := make([]string, len(ranks))
	for i, r := range ranks {
		names[i] = l.names[r]
	}
	return names
}
