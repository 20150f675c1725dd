package consensus

import (
	"fmt"
	"time"
)

// Machine is one member's part in a run. It is not safe for concurrent use.
type Machine struct {
	p     Params
	plan  *Plan
	nonce [32]byte

	now   time.Duration
	since time.Duration // of the last change of state or iteration
	tick  time.Duration // of the last Tick
	beat  time.Duration // when the next Beat is due

	slot  uint64 // the slot under way, or the next one
	state State
	call  *call   // under way, if any
	voted Message // own Done of slot-1, for members that have not seen it
	err   error   // why the machine has failed

	// early holds Seeds and Blobs of the next slots by member: all that can
	// arrive before this member's own call, since the others need its Seeds or
	// Blob to go on.
	early map[uint64]map[int]Message
	peers []peer
}

// peer is what is known of another member.
type peer struct {
	heard time.Duration // when its last message came
	slot  uint64        // of its last Beat
	beat  Beat          // its last Beat
	left  *Leave
	help  help
}

// help is what was last sent again to a member.
type help struct {
	slot      uint64
	state     State
	iteration uint32
	next      time.Duration // when to send it once more
	wait      time.Duration // between the last time and the next
}

// New returns the machine of one member, at slot 0. All members start with the
// same settings, names and run.
func New(p Params) (*Machine, error) {
	p = p.withDefaults()
	if p.Self < 0 || p.Self >= len(p.Members) {
		return nil, fmt.Errorf("consensus: rank %d is not one of %d members", p.Self, len(p.Members))
	}
	plan := p.Plan
	if plan == nil {
		var err error
		if plan, err = NewPlan(p.Settings, len(p.Members)); err != nil {
			return nil, err
		}
	}
	return &Machine{
		p: p, plan: plan, state: Idle,
		early: map[uint64]map[int]Message{},
		peers: make([]peer, len(p.Members)),
	}, nil
}

// Plan returns what the settings come to in this view.
func (m *Machine) Plan() *Plan { return m.plan }

// SetNonce mixes a public value that nobody chose alone into the labels of all
// further sessions. All members set the same one between the same two slots.
func (m *Machine) SetNonce(nonce [32]byte) { m.nonce = nonce }

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
		m.receive(ev.From, ev.Message, &e)
	case Tick:
		m.passTime(&e)
	case Finish:
		if m.call != nil {
			panic("consensus: finish during a call")
		}
		m.become(Finished)
		m.sendBeat(&e)
	case Abort:
		m.fail(&e, &AbortError{Reason: ev.Reason})
	default:
		panic(fmt.Sprintf("consensus: unknown event %T", ev))
	}
	return e
}

// enter begins the next slot.
func (m *Machine) enter(c Call, e *Effects) {
	if m.call != nil || m.state == Finished {
		panic("consensus: a call is under way, or the run has been finished")
	}
	if m.err != nil {
		e.Outcome = &Outcome{Slot: m.slot, Started: m.now, Ended: m.now, Err: m.err}
		return
	}
	call, err := m.newCall(c)
	if err != nil { // nothing has left this member yet; the run ends all the same
		m.call = &call
		m.fail(e, err)
		return
	}
	m.call = &call
	m.become(Dealt)
	m.write(e, WroteEntered, call.header.Hash)
	for to := range m.p.Members {
		if to != m.p.Self {
			m.send(e, to, m.opening(to))
		}
	}
	early := m.early[m.slot]
	delete(m.early, m.slot)
	for from := range m.p.Members { // in rank order: maps have none
		if msg, ok := early[from]; ok {
			m.apply(from, msg.Body, e)
		}
	}
	m.progress(e)
}

// receive takes a message from another member.
func (m *Machine) receive(from int, msg Message, e *Effects) {
	if from < 0 || from >= len(m.peers) || from == m.p.Self || m.state == Failed {
		return
	}
	m.peers[from].heard = m.now
	switch body := msg.Body.(type) {
	case nil:
		return
	case *Beat:
		m.peers[from].slot, m.peers[from].beat = msg.Slot, *body
		if body.State == Finished && msg.Slot <= m.slot && m.call != nil {
			m.fail(e, m.finishedError(from))
			return
		}
		m.help(from, msg.Slot, *body, e)
		return
	case *Leave:
		m.leave(from, body, e)
		return
	}
	switch {
	case msg.Ballot != 0 || msg.Slot < m.slot || msg.Slot > m.slot+1:
	case msg.Slot == m.slot && m.call != nil:
		m.apply(from, msg.Body, e)
		m.progress(e)
	default:
		m.keepEarly(from, msg)
	}
}

func (m *Machine) keepEarly(from int, msg Message) {
	switch msg.Body.(type) {
	case *Seeds, *Blob:
	default:
		return
	}
	if m.early[msg.Slot] == nil {
		m.early[msg.Slot] = map[int]Message{}
	}
	if _, doubled := m.early[msg.Slot][from]; !doubled {
		m.early[msg.Slot][from] = msg
	}
}

// leave notes that a member has ended its part. What it voted for before still
// counts, so a call that has all it needs is not harmed.
func (m *Machine) leave(from int, l *Leave, e *Effects) {
	if m.peers[from].left == nil {
		m.peers[from].left = l
	}
	if m.call != nil {
		m.fail(e, m.leftError(from))
	}
}

// become changes the state.
func (m *Machine) become(s State) {
	m.state = s
	m.since = m.now
}

func (m *Machine) send(e *Effects, to int, body Body) {
	e.Sends = append(e.Sends, Send{To: to, Message: Message{Slot: m.slot, Body: body}})
}

func (m *Machine) write(e *Effects, kind WriteKind, digest [32]byte) {
	e.Writes = append(e.Writes, Write{Slot: m.slot, Kind: kind, Digest: digest})
}

// fail ends the run here and tells the others why.
func (m *Machine) fail(e *Effects, err error) {
	if m.state == Failed || m.state == Finished {
		return
	}
	m.err = err
	m.become(Failed)
	m.send(e, All, leaveOf(err))
	if m.call != nil {
		e.Outcome = &Outcome{Slot: m.slot, Started: m.call.started, Ended: m.now, Err: err}
		m.call = nil
	}
}
