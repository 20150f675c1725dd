package consensus

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"
)

// opening describes a decided slot to its opener.
func (m *Machine) opening(s *slot) opening {
	open := opening{now: m.now, every: m.p.Heartbeat, values: s.values()}
	if a := s.attempts[s.ballots.commit.Value.Attempt]; a != nil {
		open.secrets = &a.secrets
	}
	open.sealed = s.results.find(s.ballots.commit.Value)
	return open
}

// open continues with a decided slot until its result is open.
func (m *Machine) open(e *Effects) bool {
	s := m.slot
	a := s.attempts[s.ballots.commit.Value.Attempt]
	if sealed := m.sealedOf(s.ballots.commit.Value); sealed != nil {
		s.results.keep(sealed, s.ballots.commit.Value.Digest)
	}
	open := m.opening(s)
	out, step := s.opener.advance(open)
	m.post(s.ballots.commit.Value.Attempt, out, e)
	if step {
		m.monitor.step(m.now)
	}
	if open.sealed == nil {
		return a != nil && a.here && a.lanes != nil && a.result == nil && m.average(a, e)
	}
	if _, runs := s.opener.session(); runs && a.here {
		a.leave() // nobody needs its session any more
	}
	if !s.opener.ready(open.sealed) {
		return false
	}
	d, err := m.decision(open.sealed)
	if err != nil {
		m.fail(e, err)
	}
	if d == nil {
		return false
	}
	m.decide(d, true, e)
	return true
}

// receiveOpening processes a message that helps to open the decided attempt. Before the
// decision is known here, it keeps the message.
func (m *Machine) receiveOpening(from int, msg Message, e *Effects) {
	s := m.slot
	switch _, sum := msg.Body.(*Opened); {
	case s.opener == nil && !sum:
		s.hint(from, msg)
	case s.opener != nil && msg.Ballot == s.ballots.commit.Value.Attempt:
		m.post(msg.Ballot, s.opener.receive(from, msg.Body, m.opening(s)), e)
	}
}

// hint keeps a message with pads or shares that came before the decision was known.
func (s *slot) hint(from int, msg Message) {
	kept := append(s.hints[from], msg)
	if len(kept) > 2 {
		kept = kept[1:]
	}
	s.hints[from] = kept
}

func (m *Machine) replayHints(e *Effects) {
	hints := m.slot.hints
	m.slot.hints = map[int][]Message{}
	for _, from := range slices.Sorted(maps.Keys(hints)) {
		for _, msg := range hints[from] {
			m.receiveOpening(from, msg, e)
		}
	}
}

// pressOpening takes the steps that are due when others do not do their part in an opening.
func (m *Machine) pressOpening(e *Effects) {
	s := m.slot
	if s.opener != nil {
		w := patience{stall: m.monitor.stallAfter(), lost: m.monitor.lostMembers(m.now)}
		m.post(s.ballots.commit.Value.Attempt, s.opener.tick(m.opening(s), w), e)
	}
}

// decision opens the sealed result. It returns nil if this member does not know the running
// total that the result continues, and has to wait for another's decision.
func (m *Machine) decision(sealed *Sealed) (*Decision, error) {
	s := m.slot
	d := &Decision{
		Slot: s.number, Kind: sealed.Header.Kind, Round: sealed.Header.Round,
		Attempt: sealed.Attempt, Members: sealed.Members, Missing: sealed.Missing, Certificate: s.ballots.commit,
		Cost: Cost{Ballot: s.ballots.commit.Ballot, Lost: s.opener.recovered(), Began: s.began, Ended: m.now},
	}
	switch d.Kind {
	case Gather:
		d.Blobs = make([][]byte, len(m.p.Members))
		for i, member := range sealed.Members {
			d.Blobs[member] = sealed.Blobs[i]
		}
		d.Digest = digestOfBlobs(d.Blobs)
	case Amend:
		d.Blobs, d.Digest = sealed.Blobs, digestOfBlobs(sealed.Blobs)
	default:
		var err error
		if d.Total, err = s.opener.total(sealed); err != nil {
			return nil, err
		}
		if sealed.Header.Running.Key != "" && !m.carryOn(d, sealed) {
			return nil, nil
		}
		d.Digest = digestOfValues(d.Total)
		if a := s.attempts[sealed.Attempt]; a != nil {
			d.Cost.Rounds = a.rounds
			if n := norm(d.Total); n > a.allowed { // otherwise the total is 0 within the accuracy of sums, and no ratio has a meaning
				d.Cost.Difference = a.apart / n
			}
		}
	}
	d.Chain = m.plans.chainOf(s.chain, m.p.Run, d)
	return d, nil
}

func norm(x []float64) float64 {
	var square float64
	for _, v := range x {
		square += v * v
	}
	return math.Sqrt(square)
}

// decide ends the slot and begins the next. opened is false if this member learnt the decision
// from others and cannot help to open the slot.
func (m *Machine) decide(d *Decision, opened bool, e *Effects) {
	e.Decisions = append(e.Decisions, d)
	if m.last != nil {
		e.Writes = append(e.Writes, Write{Slot: m.last.number, Name: Forget})
	}
	if d.Kind != Amend {
		took := time.Duration(-1)
		if m.calls() {
			took = m.now - m.slot.began
		}
		m.monitor.note(m.now, took, m.newRound(), m.slot.ballots.promised > 0, d.Members)
	}
	m.updateTotal(d)
	m.certified = d.Certificate
	m.last = m.slot
	m.last.close()
	if !opened {
		e.Writes = append(e.Writes, Write{Slot: m.last.number, Name: Forget})
		m.last = nil
	}
	if d.Kind == Amend {
		if err := m.reform(d); err != nil {
			m.tell(e, d.Attempt, &Commit{Certificate: d.Certificate}) // this member may be the only one that knows it
			m.slot = newSlot(m.roster, position{d.Slot + 1, d.Chain}, d.Round, &View{})
			m.fail(e, err)
			return
		}
	}
	m.slot = m.slotAfter(d)
	preset := m.slot.preset
	m.slot.dirty, m.slot.carries = true, true
	m.monitor.nextSlot(m.now)
	m.monitor.step(m.now)
	m.replayEarly(e)
	if !preset.has(m.p.Self) {
		m.ask(e) // an outsider reports at once that it keeps up
	}
}

// slotAfter returns the slot after a decision. Its preset view has the decision's members.
// After an amendment there is none, and the new roster first agrees on one.
func (m *Machine) slotAfter(d *Decision) *slot {
	pos := position{d.Slot + 1, d.Chain}
	if d.Kind != Amend {
		return newSlot(m.roster, pos, d.Round, &View{Members: d.Members, Missing: d.Missing})
	}
	s := newSlot(m.roster, pos, d.Round, m.plans.everybody(m.roster.Rules))
	s.ballots.forgetPreset()
	return s
}

// close drops all state of a decided slot except what helps others to open it.
func (s *slot) close() {
	for b, a := range s.attempts {
		s.attempts[b] = a.bare()
	}
	s.call, s.hints = nil, nil
	if s.opener != nil {
		s.opener.close()
	}
	s.entered = -1
}

// receiveDecided takes a decision that this member has missed, if a quorum's votes in the next
// slot sign a chain that covers it.
func (m *Machine) receiveDecided(b *Decided, e *Effects) {
	if b.Decision.Slot != m.slot.number {
		return
	}
	d, err := m.checked(b.Decision)
	// The votes of an amendment are for the amendment itself. The votes after it are those of
	// another roster.
	if err != nil || d.Kind != Amend && !m.slot.ballots.checkCertificate(position{d.Slot + 1, d.Chain}, b.Next) {
		return
	}
	d.Cost = Cost{Began: m.now, Ended: m.now}
	m.decide(d, false, e)
}

// checked returns a copy of a decision of the current slot, with the chain that it makes and with
// blobs for all present ranks. It returns an error if no quorum has signed its certificate, or if
// its content is not valid.
func (m *Machine) checked(d *Decision) (*Decision, error) {
	s, next := m.slot, *d
	if !s.ballots.checkCertificate(s.position, d.Certificate) {
		return nil, errors.New("no quorum has signed it as the next decision of this log")
	}
	if d.Kind == Gather {
		next.Blobs = m.byRank(d.Blobs)
	}
	if err := m.checkDecision(&next); err != nil {
		return nil, err
	}
	next.Chain = m.plans.chainOf(s.chain, m.p.Run, &next)
	return &next, nil
}

// byRank returns a Gather's blobs as a slice with one element for each rank in its slot.
func (m *Machine) byRank(blobs [][]byte) [][]byte {
	for _, b := range blobs[min(len(blobs), len(m.p.Members)):] {
		if b != nil {
			return nil
		}
	}
	exact := make([][]byte, len(m.p.Members))
	copy(exact, blobs)
	return exact
}

func (m *Machine) checkDecision(d *Decision) error {
	if m.roster.paused && d.Kind != Amend {
		return fmt.Errorf("a %s while revision %d of the roster has paused the run", d.Kind, m.p.Paused)
	}
	for i, member := range d.Members {
		if !m.roster.belongs(int(member)) || i > 0 && member <= d.Members[i-1] {
			return errors.New("members out of order")
		}
	}
	for _, out := range d.Missing {
		if !m.roster.belongs(int(out.Member)) {
			return errors.New("missing members that are not in the roster")
		}
	}
	switch d.Kind {
	case Sum:
		if d.Digest != digestOfValues(d.Total) {
			return errors.New("the total does not match its digest")
		}
		if c := d.Running; c != nil {
			h := Header{Round: d.Round, Running: RunningHeader{Key: c.Key, From: c.From, Size: c.Size}}
			if !slices.Equal(c.Members, m.countedIn(h, d.Members)) {
				return errors.New("the members counted do not follow from the slots before")
			}
		}
	case Gather:
		if d.Running != nil {
			return errors.New("a gather with a running total")
		}
		if len(d.Blobs) != len(m.p.Members) || d.Digest != digestOfBlobs(d.Blobs) {
			return errors.New("the blobs do not match their digest")
		}
		for member, b := range d.Blobs {
			if (b != nil) != slices.Contains(d.Members, uint32(member)) {
				return errors.New("the blobs do not match the members")
			}
		}
	case Amend:
		return m.checkAmendment(d)
	default:
		return errors.New("unknown collective")
	}
	return nil
}
