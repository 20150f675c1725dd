package consensus

import (
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/collabdict/collabdict/chunking"
)

// open goes on with a slot that has been decided: this member's pad is told, and
// when all pads of the attempt are known the total is, too.
func (m *Machine) open(e *Effects) bool {
	s := m.slot
	m.tellPad(e)
	sealed := m.sealedOf(s.ballots.commit.Value)
	if sealed == nil {
		a := s.attempts[s.ballots.commit.Value.Attempt]
		return a != nil && a.here && a.lanes != nil && a.result == nil && m.average(a, e)
	}
	s.keep(sealed, s.ballots.commit.Value.Digest)
	if !m.padsKnown(sealed) || m.unmasks(sealed) && !m.unmaskOn(sealed, e) {
		return false
	}
	d, err := m.decision(sealed)
	if err != nil {
		m.fail(e, err)
		return false
	}
	m.decide(d, true, e)
	return true
}

// tellPad tells this member's pad of the decided attempt, once.
func (m *Machine) tellPad(e *Effects) {
	s := m.slot
	a := s.attempts[s.ballots.commit.Value.Attempt]
	if !m.roster.Sealed || m.roster.Committee != nil || a == nil || !a.dealt || s.call.header.Kind != Sum {
		return
	}
	if _, told := s.pads[m.p.Self]; told {
		return
	}
	s.pads[m.p.Self] = a.pad
	m.send(e, All, a.view.Ballot, &Pads{Pads: []Pad{{uint32(m.p.Self), a.pad}}})
}

// receivePads takes pads of the decided attempt. Those that come before this
// member knows of the decision wait for it.
func (m *Machine) receivePads(from int, msg Message, b *Pads) {
	s := m.slot
	if !s.ofDecided(from, msg) {
		return
	}
	for _, p := range b.Pads {
		if _, known := s.pads[int(p.Member)]; !known && m.roster.belongs(int(p.Member)) {
			s.pads[int(p.Member)] = p.Seed
		}
	}
}

// ofDecided says whether a message is of the decided attempt. One that comes before
// this member knows of the decision is kept.
func (s *slot) ofDecided(from int, msg Message) bool {
	if s.ballots.commit == nil {
		s.hint(from, msg)
		return false
	}
	return msg.Ballot == s.ballots.commit.Value.Attempt
}

// hint keeps what a member says of an attempt before this one knows of its
// decision: its pad and its shares.
func (s *slot) hint(from int, msg Message) {
	kept := append(s.hints[from], msg)
	if len(kept) > 2 {
		kept = kept[1:]
	}
	s.hints[from] = kept
}

// replayHints takes up what came before the decision.
func (m *Machine) replayHints(e *Effects) {
	hints := m.slot.hints
	m.slot.hints = map[int][]Message{}
	for _, from := range slices.Sorted(maps.Keys(hints)) {
		for _, msg := range hints[from] {
			switch b := msg.Body.(type) {
			case *Pads:
				m.receivePads(from, msg, b)
			case *Shares:
				m.receiveShares(from, msg, b)
			case *Reopen:
				m.receiveReopen(from, msg, b, e)
			case *Step:
				m.receiveUnmask(from, msg, b, e)
			}
		}
	}
}

// receiveShares takes shares of lost members' pads.
func (m *Machine) receiveShares(from int, msg Message, b *Shares) {
	s := m.slot
	if !s.ofDecided(from, msg) {
		return
	}
	for _, p := range b.Shares {
		if m.roster.belongs(int(p.Member)) {
			s.addShare(int(p.Member), p.Share)
		}
	}
}

func (s *slot) addShare(owner int, share chunking.Share) {
	for _, known := range s.shares[owner] {
		if known.X == share.X {
			return
		}
	}
	s.shares[owner] = append(s.shares[owner], share)
}

// padsKnown says whether all pads of the decided attempt are known, and puts
// together those of which enough shares are.
func (m *Machine) padsKnown(sealed *Sealed) bool {
	s := m.slot
	all := true
	for i, commit := range sealed.Commits {
		owner := int(sealed.Members[i])
		pad, known := s.pads[owner]
		if known && m.commitment(owner, sealed.Attempt, pad) == commit {
			continue
		}
		delete(s.pads, owner) // not what its owner has committed to
		if pad, known = m.padFromShares(owner, sealed.Attempt, commit); !known {
			all = false
			continue
		}
		s.pads[owner] = pad
		s.lost = append(s.lost, uint32(owner))
	}
	return all
}

func (m *Machine) padFromShares(owner int, attempt uint32, commit [32]byte) (pad [32]byte, ok bool) {
	s := m.slot
	if m.roster.Shares == 0 || len(s.shares[owner]) < m.roster.Shares {
		return pad, false
	}
	pad, err := chunking.JoinSecret(s.shares[owner], m.roster.Shares)
	return pad, err == nil && m.commitment(owner, attempt, pad) == commit
}

// padsLacking returns the members whose pads are not known.
func (s *slot) padsLacking() []int {
	if s.ballots.commit == nil {
		return nil
	}
	sealed := s.sealed[s.ballots.commit.Value.Attempt]
	if sealed == nil {
		return nil
	}
	var lacking []int
	for i := range sealed.Commits {
		if owner := int(sealed.Members[i]); !s.padKnown(owner) {
			lacking = append(lacking, owner)
		}
	}
	return lacking
}

func (s *slot) padKnown(owner int) bool {
	_, known := s.pads[owner]
	return known
}

// sharesOf returns this member's shares of other members' pads in the decided
// attempt. They are told after the decision only.
func (s *slot) sharesOf(owners []int) *Shares {
	a := s.attempts[s.ballots.commit.Value.Attempt]
	if a == nil {
		return nil
	}
	b := &Shares{}
	for _, o := range owners {
		if share, held := a.held[o]; held {
			b.Shares = append(b.Shares, PadShare{uint32(o), share})
		}
	}
	if b.Shares == nil {
		return nil
	}
	return b
}

// tellShares tells this member's shares of pads that do not come, once: at once if
// their owners are lost.
func (m *Machine) tellShares(e *Effects) {
	s := m.slot
	if s.ballots.commit == nil || s.shown || m.roster.Committee != nil {
		return
	}
	lacking := s.padsLacking()
	there := slices.ContainsFunc(lacking, func(owner int) bool { return !m.monitor.lost(m.now, owner) })
	if lacking == nil || there && m.now-s.decided < 2*m.p.Beat {
		return
	}
	s.shown = true
	if b := s.sharesOf(lacking); b != nil {
		for _, p := range b.Shares {
			s.addShare(int(p.Member), p.Share)
		}
		m.send(e, All, s.ballots.commit.Value.Attempt, b)
	}
}

// decision opens the sealed result.
func (m *Machine) decision(sealed *Sealed) (*Decision, error) {
	s := m.slot
	d := &Decision{
		Slot: s.number, Kind: sealed.Header.Kind, Round: sealed.Header.Round,
		Attempt: sealed.Attempt, Members: sealed.Members, Missing: sealed.Missing, Certificate: s.ballots.commit,
		Cost: Cost{Ballot: s.ballots.commit.Ballot, Lost: s.lost, Began: s.began, Ended: m.now},
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
		if err := m.total(sealed, d); err != nil {
			return nil, err
		}
	}
	d.Chain = m.plans.chainOf(s.chain, m.p.Run, d)
	return d, nil
}

// total takes the pads off a sum.
func (m *Machine) total(sealed *Sealed, d *Decision) error {
	s := m.slot
	layout, err := m.plans.layout(len(sealed.Members), sealed.Blocks)
	if err != nil {
		return err
	}
	var pads []uint64
	if m.unmasks(sealed) {
		pads = s.padSum
	}
	masks := make([]chunking.Mask, len(sealed.Commits))
	for i := range masks {
		owner := int(sealed.Members[i])
		masks[i] = m.padMask(owner, sealed.Attempt, s.pads[owner])
	}
	if d.Total, err = layout.Total(sealed.Words, pads, masks...); err != nil {
		return err
	}
	d.Digest = digestOfValues(d.Total)
	if a := s.attempts[sealed.Attempt]; a != nil {
		d.Cost.Rounds = a.rounds
		if n := norm(d.Total); n > a.open { // else it is 0 as far as sums tell, and nothing is relative to it
			d.Cost.Difference = a.apart / n
		}
	}
	return nil
}

// decide ends the slot and begins the next. A slot that was not opened here was learnt
// from others: there is nothing to open it with for others.
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
		if m.p.OnLoneChange == AvoidLoneChange && m.roster.Colluders > 0 {
			m.seen.note(d.Members)
		}
	}
	m.held = ""
	m.last = m.slot
	m.last.close()
	if !opened {
		e.Writes = append(e.Writes, Write{Slot: m.last.number, Name: Forget})
		m.last = nil
	}
	if d.Kind == Amend {
		if err := m.reform(d); err != nil {
			m.tell(e, d.Attempt, &Commit{Certificate: d.Certificate}) // it may be the only one to know
			m.slot = newSlot(m.roster, position{d.Slot + 1, d.Chain}, d.Round, &View{})
			m.fail(e, err)
			return
		}
	}
	m.slot = m.slotAfter(d)
	preset := m.slot.preset
	m.slot.dirty = true
	m.monitor.nextSlot()
	m.monitor.step(m.now)
	m.replayEarly(e)
	if !preset.has(m.p.Self) {
		m.ask(e) // an outsider tells at once that it keeps up
	}
}

// slotAfter returns the slot after a decision. Its preset view is that of the slot
// before; after an amendment there is none, and the members of the new roster agree
// on one first.
func (m *Machine) slotAfter(d *Decision) *slot {
	at := position{d.Slot + 1, d.Chain}
	if d.Kind != Amend {
		return newSlot(m.roster, at, d.Round, &View{Members: d.Members, Missing: d.Missing})
	}
	s := newSlot(m.roster, at, d.Round, m.plans.everybody(m.roster.Rules))
	s.ballots.forgetPreset()
	return s
}

// close drops all of a decided slot but what opens it for others.
func (s *slot) close() {
	for b, a := range s.attempts {
		kept := newAttempt(a.view)
		kept.dealt, kept.pad, kept.held, kept.commits = a.dealt, a.pad, a.held, a.commits
		s.attempts[b] = kept
	}
	s.call, s.shares, s.hints, s.lost, s.unmask = nil, nil, nil, nil, nil
	s.entered = -1
}

// receiveDecided takes a slot that this member has missed, if the votes of a
// quorum in the slot after it sign a chain with it.
func (m *Machine) receiveDecided(b *Decided, e *Effects) {
	s, d := m.slot, b.Decision
	if d.Slot != s.number {
		return
	}
	next := *d
	if d.Kind == Gather {
		next.Blobs = m.byRank(d.Blobs)
	}
	if !s.ballots.checkCertificate(s.position, d.Certificate) || m.checkDecision(&next) != nil {
		return
	}
	next.Chain = m.plans.chainOf(s.chain, m.p.Run, &next)
	// The votes of an amendment are for what it says; those after it are not of the
	// same roster.
	if d.Kind != Amend && !s.ballots.checkCertificate(position{d.Slot + 1, next.Chain}, b.Next) {
		return
	}
	next.Cost = Cost{Began: m.now, Ended: m.now}
	m.decide(&next, false, e)
}

// byRank returns a Gather's blobs for as many ranks as there were in its slot.
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
	for i, member := range d.Members {
		if !m.roster.belongs(int(member)) || i > 0 && member <= d.Members[i-1] {
			return errors.New("members out of order")
		}
	}
	for _, out := range d.Missing {
		if !m.roster.belongs(int(out.Member)) {
			return errors.New("missing members that are not of the roster")
		}
	}
	switch d.Kind {
	case Sum:
		if d.Digest != digestOfValues(d.Total) {
			return errors.New("not the total of the digest")
		}
	case Gather:
		if len(d.Blobs) != len(m.p.Members) || d.Digest != digestOfBlobs(d.Blobs) {
			return errors.New("not the blobs of the digest")
		}
		for member, b := range d.Blobs {
			if (b != nil) != slices.Contains(d.Members, uint32(member)) {
				return errors.New("blobs of other members than those of the decision")
			}
		}
	case Amend:
		return m.checkAmendment(d)
	default:
		return errors.New("unknown collective")
	}
	return nil
}
