package node

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/journal/store"
	"github.com/collabdict/collabdict/node/internal/membership"
	"github.com/collabdict/collabdict/node/internal/transport"
)

// A carrier is the part of the transport that the loop uses.
type carrier interface {
	Send(to int, m consensus.Message)
	SendAll(m consensus.Message) // on the data plane
	Publish(m consensus.Message)
	Holds(to int, m consensus.Message) bool
	Follow(peers []transport.Peer)
}

// loopConfig holds the parts of a loop. They are not changed later.
type loopConfig struct {
	machine *consensus.Machine
	state   *store.RunState
	members *membership.Current // stored by the loop alone
	network carrier
	inbox   *inbox
	self    int
	dir     string             // folder for evidence
	initial consensus.Settings // the settings at the start of the run
	changes []Change           // changes of the roster that this member's operator wants at the start
	every   time.Duration      // between two ticks
	came    func(rank int)     // called with each newcomer that takes part
	log     *slog.Logger
}

// A loop is the goroutine that owns the machine. The fields before the channels belong to that
// goroutine.
type loop struct {
	loopConfig
	start     time.Time         // start of the process; the machine's time counts from here
	wanted    []Change          // changes of the roster that this member's operator wants now
	epochs    []epoch           // epochs of the roster
	seen      map[int]bool      // newcomers that have sent a message
	predicted int               // rounds of a session of all members
	calls     uint64            // calls of the learner in this process, the current one included
	pending   *request          // the current call, for the slot of calls-1
	ended     map[int]time.Time // members that have reported the end of their part, and when
	record    consensus.Record
	took      time.Duration // the last slot
	exchanges exchanges     // of the present or the last session
	logged    logState
	allOver   bool
	expelled  error // set once the other members have removed this one while it was away

	requests chan *request
	allEnded chan struct{} // closed when every other member has finished or left, or is lost

	background    transport.Tasks // writes that nobody waits for, and delayed work
	status        atomic.Pointer[snapshot]
	busy          atomic.Int64 // start of the current work, in nanoseconds since loop.start, or idle
	lastHeartbeat atomic.Pointer[consensus.Message]
	over          atomic.Pointer[string] // why this member's run is over for good
}

// A request is work for the loop: an event for the machine, or the function do.
type request struct {
	event   consensus.Event
	do      func() error
	outcome chan outcome // of capacity 1
}

// An outcome is the result of a request.
type outcome struct {
	decision *consensus.Decision // decision of a call
	err      error
}

// errDisk reports that a step could not be saved.
var errDisk = errors.New("cannot write the state")

func newLoop(c loopConfig) (*loop, error) {
	l := &loop{
		loopConfig: c, wanted: c.changes, predicted: c.machine.Plan().Rounds(), start: time.Now(), ended: map[int]time.Time{},
		requests: make(chan *request), allEnded: make(chan struct{}),
		seen: map[int]bool{}, epochs: []epoch{{0, c.state.Founders}}, logged: logState{plans: map[string]bool{}},
	}
	l.busy.Store(idle)
	err := c.state.Each(func(d *consensus.Decision) error { // decisions of an earlier process
		l.enter(d)
		return nil
	})
	l.publish()
	return l, err
}

func (l *loop) main(ctx context.Context) {
	defer close(l.inbox.stopped)
	ticker := time.NewTicker(l.every)
	defer ticker.Stop()
	l.step(consensus.Tick{})
	if len(l.wanted) > 0 {
		l.afterAmendment()
	}
	for {
		l.busy.Store(idle)
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			l.markBusy()
			l.step(consensus.Tick{Learner: l.slotOf(l.calls)})
			l.nag()
		case r := <-l.inbox.messages:
			l.markBusy()
			l.step(r)
			l.note(r)
		case q := <-l.requests:
			l.markBusy()
			l.serve(q)
		}
	}
}

// ask sends a request to the loop and waits for its outcome.
func (l *loop) ask(ctx context.Context, q *request) (*consensus.Decision, error) {
	q.outcome = make(chan outcome, 1)
	select {
	case l.requests <- q:
	case <-l.inbox.stopped:
		return nil, ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	select {
	case out := <-q.outcome:
		return out.decision, out.err
	case <-l.inbox.stopped:
		return nil, ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// do calls f in the loop.
func (l *loop) do(ctx context.Context, f func() error) error {
	_, err := l.ask(ctx, &request{do: f})
	return err
}

// serve handles a request. It refuses calls on which the machine would panic.
func (l *loop) serve(q *request) {
	_, finish := q.event.(consensus.Finish)
	switch call, isCall := q.event.(consensus.Call); {
	case (isCall || finish) && l.pending != nil:
		q.outcome <- outcome{err: ErrBusy}
	case isCall && l.machine.State() == consensus.Finished:
		q.outcome <- outcome{err: ErrFinished}
	case finish && l.machine.State() == consensus.Failed:
		q.outcome <- outcome{err: ErrFailed}
	case isCall:
		l.call(q, call)
	case q.event != nil:
		l.step(q.event)
		q.outcome <- outcome{}
	default:
		q.outcome <- outcome{err: q.do()}
	}
}

// call makes the learner's next call. If its slot was decided before, as after a restart, the
// log has the answer.
func (l *loop) call(q *request, c consensus.Call) {
	l.calls++
	l.inbox.noteLength(len(c.Values))
	if slot := l.slotOf(l.calls - 1); slot < l.machine.Slot() {
		d, err := l.decided(slot)
		if err == nil {
			err = checkAnswer(c, d)
		}
		q.outcome <- outcome{d, err}
		return
	}
	l.pending = q
	l.step(c)
}

// copyValues copies the values that the current call has borrowed. An amendment may still precede
// the call.
func (l *loop) copyValues() error {
	if q := l.pending; q != nil {
		c := q.event.(consensus.Call)
		c.Values = l.machine.KeepCall()
		q.event = c
	}
	return nil
}

func (l *loop) step(ev consensus.Event) {
	e := l.machine.Step(time.Since(l.start), ev)
	l.apply(e)
	if _, received := ev.(consensus.Receive); !received || len(e.Sends)+len(e.Decisions) > 0 || e.Err != nil {
		l.publish()
	}
}

// apply carries out the machine's effects: first the writes to disk, then the sends, then the
// decisions. If a write fails, nothing is sent that depends on it.
func (l *loop) apply(e consensus.Effects) {
	if err := l.state.Apply(e.Writes, e.Decisions); err != nil {
		err = fmt.Errorf("%w: %w", errDisk, err)
		l.log.Error("this member's part in the run ends", "error", err)
		e = l.machine.Step(time.Since(l.start), consensus.Abort{Reason: "it cannot write its state", Returns: true})
		e.Writes, e.Decisions, e.Err = nil, nil, err
	}
	for _, s := range e.Sends {
		if _, heartbeat := s.Message.Body.(*consensus.Heartbeat); heartbeat && s.To == consensus.All {
			l.lastHeartbeat.Store(&s.Message)
		}
		l.post(s)
	}
	for _, s := range e.Serves {
		l.help(s)
	}
	amended := false
	for _, d := range e.Decisions {
		l.enter(d)
		switch {
		case d.Kind == consensus.Amend:
			l.amend(d)
			amended = true
		case l.pending != nil && d.Slot == l.slotOf(l.calls-1):
			l.answer(outcome{decision: d})
		}
	}
	if amended && e.Err == nil {
		l.afterAmendment()
	}
	if e.Err != nil {
		e.Err = l.keepEvidence(e.Err)
		if l.expelled != nil {
			e.Err = l.expelled
		}
		l.fail(e.Err)
		l.answer(outcome{err: e.Err})
	}
}

// post hands a message to the outboxes of its receivers. A member's last messages also go over
// the streams, where the sender can wait for their arrival.
func (l *loop) post(s consensus.Send) {
	if s.To != consensus.All {
		l.network.Send(s.To, s.Message)
		return
	}
	l.network.Publish(s.Message)
	if isLast(s.Message) {
		l.network.SendAll(s.Message)
	}
}

// isLast reports whether a message announces the end of the sender's run.
func isLast(m consensus.Message) bool {
	switch b := m.Body.(type) {
	case *consensus.Leave:
		return true
	case *consensus.Heartbeat:
		return b.State == consensus.Finished
	}
	return false
}

// fail saves why this member's run is over, unless it can be resumed.
func (l *loop) fail(err error) {
	if abort, ok := errors.AsType[*consensus.AbortError](err); ok && abort.Returns || errors.Is(err, errDisk) {
		return
	}
	why := membership.Printable(err.Error())
	l.over.Store(&why)
}

// answer ends the current call, if there is one.
func (l *loop) answer(out outcome) {
	if q := l.pending; q != nil {
		if out.err == nil {
			out.err = checkAnswer(q.event.(consensus.Call), out.decision)
		}
		l.pending = nil
		l.publish() // so that the caller finds its call in the status
		q.outcome <- out
	}
}

// help sends a decided slot from the disk to a member that has missed it. It reads nothing that
// is already queued, since a member behind a slow link asks again and again.
func (l *loop) help(s consensus.Serve) {
	m := consensus.Message{Slot: s.Slot, Ballot: s.Ballot, Body: &consensus.Decided{}}
	if s.Entry != "" {
		m.Body = &consensus.Seal{}
	}
	switch {
	case l.network.Holds(s.To, m):
		return
	case s.Entry != "":
		l.helpOpen(s)
		return
	}
	d, err := l.decided(s.Slot)
	if err != nil {
		l.log.Error("cannot send a decided slot to a member that catches up", "name", l.members.Name(s.To), "error", err)
		return
	}
	next, err := l.decided(s.Slot + 1)
	if err != nil || next.Certificate == nil {
		return // another member may help
	}
	l.post(consensus.Send{To: s.To, Message: consensus.Message{
		Slot: s.Slot, Body: &consensus.Decided{Decision: d, Next: next.Certificate},
	}})
}

// helpOpen sends a sealed result as it is kept, unless it has been deleted by now.
func (l *loop) helpOpen(s consensus.Serve) {
	entry, err := l.state.Entry(s.Slot, s.Entry)
	if err == nil && entry == nil {
		return
	}
	var m consensus.Message
	if err == nil {
		m, err = consensus.SealOf(s.Slot, entry)
	}
	if err != nil {
		l.log.Error("cannot send a sealed result to a member that catches up", "name", l.members.Name(s.To), "error", err)
		return
	}
	l.post(consensus.Send{To: s.To, Message: m})
}
