package consensus

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// Machine is one member's part in a run. It is not safe for concurrent use.
type Machine struct {
	p       Params
	roster  *roster
	plans   *Plans
	entropy [32]byte // all secrets of the slot under way are derived from it

	now     time.Duration
	monitor monitor

	slot      *slot        // the slot under way
	last      *slot        // the slot before it, as long as it can be opened from here
	certified *Certificate // of the slot before it
	learner   uint64
	finished  bool
	err       error // why the machine has failed

	totals  map[string]*runningTotal // by key
	held    []uint32                 // members that the last of them has not counted
	early   map[int][]Message        // for the slot under way or the next one, by member
	longest int                      // values of a call so far

	amendment *Amendment     // that this member wants; nil if none
	amends    [32]byte       // its digest
	formed    uint64         // the first slot of the roster as it is, if this process has seen it come
	removed   map[int]uint64 // members, by the slots that have removed them in this process
}

// New returns the machine of one member at slot 0. All members start with the
// same settings, names and run. One that the roster is without gets a *RemovedError.
func New(p Params) (*Machine, error) {
	p = p.withDefaults()
	if p.Scheme == Auto {
		return nil, fmt.Errorf("consensus: scheme: want one that follows from the length of the vectors, got %q", Auto)
	}
	m := &Machine{totals: map[string]*runningTotal{}, early: map[int][]Message{}, removed: map[int]uint64{}}
	if err := m.form(p); err != nil {
		return nil, err
	}
	if _, removed := slices.BinarySearch(p.Removed, uint32(max(p.Self, 0))); removed {
		return nil, &RemovedError{Revision: p.Revision}
	}
	if p.Self < 0 || p.Self >= len(p.Members) && !p.Joins {
		return nil, fmt.Errorf("consensus: rank %d is not one of %d members", p.Self, m.roster.Size)
	}
	m.monitor = newMonitor(m.roster, p.Heartbeat, p.Patience)
	m.slot = newSlot(m.roster, position{}, 0, m.plans.everybody(m.roster.Rules))
	return m, nil
}

// Rules returns what decides in the roster.
func (m *Machine) Rules() Rules { return m.roster.Rules }

// Plan returns what the settings come to with all members.
func (m *Machine) Plan() *Plan { return m.plans.plan(m.roster.Size) }

// Step applies an event. Messages that are late, early, doubled or of no use are
// ignored; a message that no honest member sends ends the run with an error that
// names its sender.
func (m *Machine) Step(now time.Duration, ev Event) Effects {
	m.now = max(m.now, now)
	var e Effects
	switch ev := ev.(type) {
	case Call:
		m.enter(ev, &e)
	case Receive:
		m.receive(ev.From, ev.Message.message, &e)
	case Tick:
		m.learner = max(m.learner, ev.Learner)
		m.passTime(&e)
	case RequestAmendment:
		m.request(ev.Amendment, &e)
	case Finish:
		if m.calls() {
			panic("consensus: finish during a call")
		}
		m.finished = m.err == nil
		m.sendHeartbeat(All, &e)
	case Abort:
		m.fail(&e, &AbortError{Reason: ev.Reason, Returns: ev.Returns})
	default:
		panic(fmt.Sprintf("consensus: unknown event %T", ev))
	}
	m.settle(&e)
	return e
}

// settle goes as far as it can and makes the writes of what has changed.
func (m *Machine) settle(e *Effects) {
	for m.err == nil && m.advance(e) {
	}
	m.flush(e)
}

// Slot returns the number of the slot under way. All before it are decided.
func (m *Machine) Slot() uint64 { return m.slot.number }

// calls reports whether this member's learner waits in the slot under way.
func (m *Machine) calls() bool { return m.slot.call != nil && m.learner == m.slot.number+1 }

// enter brings this member's contribution to the slot under way.
func (m *Machine) enter(c Call, e *Effects) {
	s := m.slot
	if m.finished || m.calls() {
		panic("consensus: a call is under way, or the run has been finished")
	}
	m.learner = s.number + 1
	if m.err != nil {
		e.Err = m.err
		return
	}
	call, err := m.newCall(c)
	if err != nil { // nothing of it has left this member; the run ends all the same
		m.fail(e, err)
		return
	}
	m.entropy = c.Entropy
	m.longest = max(m.longest, len(c.Values))
	s.began = m.now
	m.monitor.step(m.now)
	switch {
	case s.call == nil:
		s.call = call
	case s.call.header.Running != call.header.Running:
		m.fail(e, fmt.Errorf("the call belongs to another running total than the one before this process was started again: start with the same data and settings"))
		return
	case s.call.header != call.header:
		m.fail(e, fmt.Errorf("the call differs from the one before this process was started again: a %s of %d values, then a %s of %d: start with the same data and settings",
			s.call.header.Kind, s.call.header.Length, call.header.Kind, call.header.Length))
		return
	}
	if member := m.monitor.finishedIn(s.number); member >= 0 {
		m.fail(e, m.roster.finishedError(member))
		return
	}
	m.judge(e)
}

// advance makes one step forward, if there is one to make.
func (m *Machine) advance(e *Effects) bool {
	s := m.slot
	switch {
	case s.ballots.commit != nil:
		return m.open(e)
	case s.abstains:
		return false
	case s.ballots.finishing() != nil && m.roster.decides(m.p.Self) && !s.ballots.votedIn(s.ballots.finish.Ballot):
		return m.finishVote(s.ballots.finish, e)
	}
	if v := s.ballots.working(); v != nil && v.amends() {
		return m.voteAmendment(v, e)
	}
	return m.work(e)
}

// receive takes a message from another member.
func (m *Machine) receive(from int, msg Message, e *Effects) {
	if from == m.p.Self || m.err != nil {
		return
	}
	if !m.roster.belongs(from) {
		m.receiveStranger(from, msg, e)
		return
	}
	m.monitor.hear(m.now, from)
	switch body := msg.Body.(type) {
	case *Heartbeat:
		m.receiveHeartbeat(from, msg.Slot, body, e)
	case *Leave:
		m.leave(from, body, e)
	case *Decided:
		m.receiveDecided(body, e)
	default:
		switch {
		case msg.Slot == m.slot.number:
			m.apply(from, msg, e)
		case msg.Slot+1 == m.slot.number:
			m.receivePast(from, msg, e)
		case msg.Slot > m.slot.number:
			if msg.Slot == m.slot.number+1 {
				m.keepEarly(from, msg)
			}
			if m.asks(m.p.Heartbeat / 8) {
				m.sendHeartbeat(from, e)
			}
		}
	}
}

// apply takes a message of the slot under way into account.
func (m *Machine) apply(from int, msg Message, e *Effects) {
	switch b := msg.Body.(type) {
	case *Seeds, *Blob:
		m.monitor.opens(m.now, from)
		m.receiveDeal(from, msg, e)
	case *Step:
		m.receiveStep(from, msg, b, e)
	case *Seal:
		m.receiveSeal(from, msg.Ballot, b)
	case *Prepare:
		m.receivePrepare(from, msg.Ballot, e)
	case *Promise:
		m.receivePromise(from, msg.Ballot, b, e)
	case *View:
		m.receiveView(b, e)
	case *Done:
		m.receiveDone(from, msg.Ballot, b, e)
	case *Commit:
		m.receiveCommit(b.Certificate, e)
	case *Pads, *Shares, *Reopen, *Opened:
		m.receiveOpening(from, msg, e)
	}
}

// The messages of one member that wait for the slot or the view that they belong to are
// few, and take no more than a usual one.
const (
	earlyMost  = 4
	earlyBytes = 1<<20 + 64<<10 // a blob, and what stands beside one
)

// earlyRoom returns the most bytes of one member's messages that wait: of a vector as long
// as any that this member has brought, which may travel whole, or a blob.
func (m *Machine) earlyRoom() int { return max(earlyBytes, 2*8*m.longest+64<<10) }

// weight returns about how many bytes a message holds that may be kept early.
func weight(msg Message) int {
	switch b := msg.Body.(type) {
	case *Seeds:
		return 8*len(b.Full) + len(b.Chunk)
	case *Blob:
		return len(b.Data)
	case *Step:
		return 8 * len(b.Words)
	}
	return 0
}

// keepEarly keeps a message for which it is too early here: what others need an
// answer to before they go on. What finds no room is sent again when it is asked for.
func (m *Machine) keepEarly(from int, msg Message) {
	switch msg.Body.(type) {
	case *Seeds, *Blob, *Prepare:
	case *Step:
		if m.roster.Committee == nil {
			return
		}
	default:
		return
	}
	kept := append(m.early[from], msg)
	held := 0
	for _, k := range kept {
		held += weight(k)
	}
	for len(kept) > earlyMost || len(kept) > 0 && held > m.earlyRoom() {
		held -= weight(kept[0])
		kept = kept[1:]
	}
	m.early[from] = slices.Clone(kept) // which lets go of what is dropped
}

// replayEarly takes up the messages that were too early. Those that still are
// keep themselves.
func (m *Machine) replayEarly(e *Effects) {
	early := m.early
	m.early = map[int][]Message{}
	for _, from := range slices.Sorted(maps.Keys(early)) {
		for _, msg := range early[from] {
			switch {
			case m.err != nil || msg.Slot < m.slot.number:
			case msg.Slot > m.slot.number:
				m.keepEarly(from, msg)
			default:
				m.apply(from, msg, e)
			}
		}
	}
}

// leave notes that a member has ended its part. What it has said before still
// counts. If it leaves because of two votes of another member, this member has both then,
// and ends its part, too.
func (m *Machine) leave(from int, l *Leave, e *Effects) {
	if err := m.roster.proven(l.Votes); err != nil {
		m.fail(e, err)
		return
	}
	m.monitor.leave(m.now, from, l)
	m.judge(e)
}

func (m *Machine) send(e *Effects, to int, ballot uint32, body Body) {
	e.Sends = append(e.Sends, Send{To: to, Message: Message{Slot: m.slot.number, Ballot: ballot, Body: body}})
}

// post sends what a part has to say of an attempt at the slot under way.
func (m *Machine) post(attempt uint32, out []mail, e *Effects) {
	for _, o := range out {
		switch o.to {
		case toDeciders:
			m.tell(e, attempt, o.body)
		case toFollowers:
			m.passOn(e, attempt, o.body)
		default:
			m.send(e, o.to, attempt, o.body)
		}
	}
}

// tell sends a message to all who decide: everybody, or the committee.
func (m *Machine) tell(e *Effects, ballot uint32, body Body) {
	if m.roster.Committee == nil {
		m.send(e, All, ballot, body)
		return
	}
	for _, s := range m.roster.Committee {
		if s != m.p.Self {
			m.send(e, s, ballot, body)
		}
	}
}

// passOn sends a message to those who look to this member of the committee for
// what has been decided.
func (m *Machine) passOn(e *Effects, ballot uint32, body Body) {
	place, in := slices.BinarySearch(m.roster.Committee, m.p.Self)
	if !in {
		return
	}
	for i := place; i < m.roster.Size; i += len(m.roster.Committee) {
		if s := m.roster.rank(i); !m.roster.decides(s) {
			m.send(e, s, ballot, body)
		}
	}
}

// fail ends the run here and tells the others why.
func (m *Machine) fail(e *Effects, err error) {
	if m.err != nil || m.finished {
		return
	}
	m.err, e.Err = err, err
	m.monitor.step(m.now)
	m.tell(e, 0, leaveOf(err))
}
