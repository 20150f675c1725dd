package node

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/store"
	"github.com/collabdict/collabdict/node/internal/membership"
	"github.com/collabdict/collabdict/node/internal/transport"
)

// carrier is what the loop needs of the transport.
type carrier interface {
	Send(to int, m consensus.Message)
	SendAll(m consensus.Message) // on the data plane
	Publish(m consensus.Message)
	Holds(to int, m consensus.Message) bool
	Follow(peers []transport.Peer)
}

// loopConfig is what a loop is made of. Nothing of it is set later.
type loopConfig struct {
	machine *consensus.Machine
	journal *store.Journal
	members *membership.Current // the loop alone stores it
	network carrier
	inbox   *inbox
	self    int
	dir     string             // of evidence
	initial consensus.Settings // that the run has begun with
	changes []Change           // of the roster that this member's operator wants at first
	every   time.Duration      // between two ticks
	came    func(rank int)     // called with newcomers that take part
	log     *slog.Logger
}

// loop is the goroutine that owns the machine. Its fields up to the channels
// belong to that goroutine.
type loop struct {
	loopConfig
	start     time.Time         // of the process; the machine's time counts from here
	wanted    []Change          // of the roster, by this member's operator now
	epochs    []epoch           // of the roster
	seen      map[int]bool      // newcomers that were heard of, and are noted
	predicted int               // rounds of a session of all members
	calls     uint64            // that the learner has made in this process, one under way included
	pending   *request          // the call under way, which is for the slot calls-1
	ended     map[int]time.Time // members whose end was heard, and when
	record    consensus.Record
	took      time.Duration // the last slot
	logged    logState
	allOver   bool
	expelled  error // set once the others have removed this member while it was away

	requests chan *request
	allEnded chan struct{} // closed when every other member has finished or left, or is lost

	background    transport.Tasks // writes that need not be waited for, and what is due later
	status        atomic.Pointer[snapshot]
	busy          atomic.Int64 // when the work under way began, in nanoseconds since start, or idle
	lastHeartbeat atomic.Pointer[consensus.Message]
	over          atomic.Pointer[string] // why the run is over here for good
}

// request is something for the loop to do: an event for the machine, or do.
type request struct {
	event   consensus.Event
	do      func() (*consensus.Decision, error)
	outcome chan outcome // of capacity 1
}

// outcome is what became of a request.
type outcome struct {
	decision *consensus.Decision // of a call
	err      error
}

// errDisk reports that a step could not be written down.
var errDisk = errors.New("cannot write the state")

func newLoop(c loopConfig) (*loop, error) {
	l := &loop{
		loopConfig: c, wanted: c.changes, predicted: c.machine.Plan().Rounds(), start: time.Now(), ended: map[int]time.Time{},
		requests: make(chan *request), allEnded: make(chan struct{}),
		seen: map[int]bool{}, epochs: []epoch{{0, c.journal.Founders}}, logged: logState{plans: map[string]bool{}},
	}
	l.busy.Store(idle)
	err := c.journal.Each(func(d *consensus.Decision) error { // of an earlier process
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
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			l.work(func() {
				l.step(consensus.Tick{Learner: l.slotOf(l.calls)})
				l.nag()
			})
		case r := <-l.inbox.messages:
			l.work(func() {
				l.step(r)
				l.note(r)
			})
		case q := <-l.requests:
			l.work(func() { l.serve(q) })
		}
	}
}

// ask hands the loop a request and waits for its outcome.
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

// serve takes a request. What the machine would panic on is refused here.
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
		d, err := q.do()
		q.outcome <- outcome{d, err}
	}
}

// call makes the learner's next call. The slots that were decided before it, as
// they are after a restart, are answered from the log.
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

// keepCall copies what the call under way was lent. An amendment may yet come before it.
func (l *loop) keepCall() (*consensus.Decision, error) {
	if q := l.pending; q != nil {
		c := q.event.(consensus.Call)
		c.Values = l.machine.KeepCall()
		q.event = c
	}
	return nil, nil
}

func (l *loop) step(ev consensus.Event) {
	e := l.machine.Step(time.Since(l.start), ev)
	l.apply(e)
	if _, received := ev.(consensus.Receive); !received || len(e.Sends)+len(e.Decisions) > 0 || e.Err != nil {
		l.publish()
	}
}

// apply carries out what the machine wants: first what is to be on disk, then the
// sends, then the decisions. Nothing leaves that should have been written and was
// not.
func (l *loop) apply(e consensus.Effects) {
	if err := l.journal.Apply(e.Writes, e.Decisions); err != nil {
		err = fmt.Errorf("%w: %w", errDisk, err)
		l.log.Error("the run ends here", "error", err)
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

// post hands a message to the outboxes of its receivers. Last words go over the
// streams as well, where their arrival can be waited for.
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

// isLast reports whether a message tells of the end of the sender's run.
func isLast(m consensus.Message) bool {
	switch b := m.Body.(type) {
	case *consensus.Leave:
		return true
	case *consensus.Heartbeat:
		return b.State == consensus.Finished
	}
	return false
}

// fail notes why the run is over here, unless it can be resumed.
func (l *loop) fail(err error) {
	var abort *consensus.AbortError
	if errors.As(err, &abort) && abort.Returns || errors.Is(err, errDisk) {
		return
	}
	why := membership.Printable(err.Error())
	l.over.Store(&why)
}

// answer ends the call under way, if there is one.
func (l *loop) answer(out outcome) {
	if q := l.pending; q != nil {
		if out.err == nil {
			out.err = checkAnswer(q.event.(consensus.Call), out.decision)
		}
		l.pending = nil
		l.publish() // so that the caller finds its own call in the status
		q.outcome <- out
	}
}

// help serves a slot from the disk to a member that has missed it. What is on its way
// already is not read: a member behind a slow link asks for it again and again.
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
		l.log.Error("cannot help a member to catch up", "name", l.members.Name(s.To), "error", err)
		return
	}
	next, err := l.decided(s.Slot + 1)
	if err != nil || next.Certificate == nil {
		return // somebody else may
	}
	l.post(consensus.Send{To: s.To, Message: consensus.Message{
		Slot: s.Slot, Body: &consensus.Decided{Decision: d, Next: next.Certificate},
	}})
}

// helpOpen sends what a sealed result is kept as, unless it is forgotten by now.
func (l *loop) helpOpen(s consensus.Serve) {
	entry, err := l.journal.Entry(s.Slot, s.Entry)
	if err == nil && entry == nil {
		return
	}
	var m consensus.Message
	if err == nil {
		m, err = consensus.SealOf(s.Slot, entry)
	}
	if err != nil {
		l.log.Error("cannot help a member to open a slot", "name", l.members.Name(s.To), "error", err)
		return
	}
	l.post(consensus.Send{To: s.To, Message: m})
}
