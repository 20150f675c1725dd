package consensus

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// A Machine is one member's part in a run. It is not safe for concurrent use.
type Machine struct {
	p       Params
	roster  *roster
	plans   *Plans
	entropy [32]byte // all secrets of the current slot are derived from it

	now     time.Duration
	monitor monitor

	slot      *slot        // the current slot
	last      *slot        // the slot before it, if this member can help others to open it
	certified *Certificate // of the slot before
	learner   uint64
	finished  bool
	err       error // why the run has failed at this member

	totals  map[string]*runningTotal // by key
	held    []uint32                 // members that the last running total has not counted
	early   map[int][]Message        // for the current slot or the next one, by member
	longest int                      // values of the longest call so far

	amendment *Amendment     // requested by this member; nil if none
	amends    [32]byte       // digest of amendment
	formed    uint64         // first slot of the current roster, if it changed during this process
	removed   map[int]uint64 // member → the slot that removed it during this process
}

// New returns the machine of one member at slot 0. All members start with the same settings,
// names and run. A member that has been removed gets a *RemovedError.
func New(p Params) (*Machine, error) {
	p = p.withDefaults()
	if p.Scheme == Auto {
		return nil, fmt.Errorf("consensus: scheme: want one chosen for the length of the vectors, got %q", Auto)
	}
	m := &Machine{totals: map[string]*runningTotal{}, early: map[int][]Message{}, removed: map[int]uint64{}}
	if err := m.form(p); err != nil {
		return nil, err
	}
	if p.Self < 0 || p.Self >= len(p.Members) && !p.Joins {
		return nil, fmt.Errorf("consensus: rank %d is not one of %d members", p.Self, m.roster.Size)
	}
	if err := p.checkSelf(); err != nil {
		return nil, err
	}
	m.monitor = newMonitor(m.roster, p.Heartbeat, p.Patience)
	m.slot = newSlot(m.roster, position{}, 0, m.plans.everybody(m.roster.Rules))
	return m, nil
}

// Rules returns the rules of the current roster.
func (m *Machine) Rules() Rules { return m.roster.Rules }

// Plan returns the plan for a view of all members.
func (m *Machine) Plan() *Plan { return m.plans.plan(m.roster.Size) }

// Step applies an event. It ignores messages that are late, early, doubled or useless. A
// message that no honest member sends ends the run with an error that names its sender.
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

// settle makes all steps that are possible, and the writes for what has changed.
func (m *Machine) settle(e *Effects) {
	for m.err == nil && m.advance(e) {
	}
	m.flush(e)
}

// Slot returns the number of the current slot. All slots before it are decided.
func (m *Machine) Slot() uint64 { return m.slot.number }

// calls reports whether this member's learner waits for the current slot.
func (m *Machine) calls() bool { return m.slot.call != nil && m.learner == m.slot.number+1 }

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
	if err != nil { // no data has left this member, but the run ends all the same
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
		m.fail(e, fmt.Errorf("the call belongs to another running total than before the restart: start with the same data and settings"))
		return
	case s.call.header != call.header:
		m.fail(e, fmt.Errorf("the call differs from the one before the restart: a %s of %d values before, a %s of %d now: start with the same data and settings",
			s.call.header.Kind, s.call.header.Length, call.header.Kind, call.header.Length))
		return
	}
	for _, ballot := range s.ballots.forgetSmaller(m.least()) {
		delete(s.attempts, ballot) // nothing was dealt in it
	}
	if member := m.monitor.finishedIn(s.number); member >= 0 {
		m.fail(e, m.roster.finishedError(member))
		return
	}
	m.judge(e)
}

// advance makes one step, and reports whether one was possible.
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

// Limits of the messages of one member that wait for their slot or view.
const (
	earlyMost  = 4
	earlyBytes = 1<<20 + 64<<10 // a blob with its other fields
)

// earlyRoom returns the number of bytes that one member's early messages may hold: a blob, or a
// whole vector as long as this member's longest.
func (m *Machine) earlyRoom() int { return max(earlyBytes, 2*8*m.longest+64<<10) }

// weight returns the approximate size in bytes of a message that may be kept early.
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

// keepEarly keeps a message that came too early, if others wait for an answer to it. Messages
// that find no room are sent again on request.
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
	m.early[from] = slices.Clone(kept) // releases the memory of dropped messages
}

// replayEarly processes the early messages. Those that are still early are kept again.
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

// leave records that a member has ended its part. Its earlier messages still count. Two
// contradicting votes in its Leave end this member's part, too.
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

// post sends messages about an attempt at the current slot.
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

// tell sends a message to all members that vote: all members, or the committee.
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

// passOn sends a message to the members that this member of the committee keeps informed.
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

// fail ends the run at this member and sends the others the reason.
func (m *Machine) fail(e *Effects, err error) {
	if m.err != nil || m.finished {
		return
	}
	m.err, e.Err = err, err
	m.monitor.step(m.now)
	m.tell(e, 0, leaveOf(err))
}
