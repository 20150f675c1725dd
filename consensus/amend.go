package consensus

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// The roster changes in a slot between two rounds, or in one that waits for all. A quorum of the
// old roster decides it like a sum, with the amendment as the sealed result. A rank is never given
// to another member, so records of a run keep their meaning.

// An Amendment changes the roster of a run, or pauses or resumes the run.
type Amendment struct {
	Revision  uint32   // revision of the new roster: the old one's plus 1; the first roster has 0
	Removed   []uint32 // ranks of the members that leave, ascending
	Added     []Seat   // new members; they get the next ranks
	Quorum    int      // k after the amendment, as in Settings
	Colluders int      // t after the amendment, as in Settings
	Pause     bool     `json:",omitempty"` // pauses the run: afterwards only amendments are decided
	Resume    bool     `json:",omitempty"` // ends a pause
}

// A Seat is a member that an amendment adds.
type Seat struct {
	Name  string
	ID    []byte   // identity of the member for the carrier, as bytes
	Addrs []string // addresses for the first contact
}

// A RemovedError reports that an amendment has removed this member from the roster.
type RemovedError struct{ Revision uint32 }

func (e *RemovedError) Error() string {
	return fmt.Sprintf("a quorum has removed this member from the roster in revision %d", e.Revision)
}

// Encode returns the amendment in the form that is voted for.
func (a *Amendment) Encode() []byte {
	b, err := json.Marshal(a)
	if err != nil {
		panic("consensus: " + err.Error()) // plain data
	}
	return b
}

func (a *Amendment) digest() [32]byte {
	h := newHashing("amendment", [32]byte{})
	h.bytes(a.Encode())
	return h.sum()
}

// Amendment returns the amendment that a decision of kind Amend contains.
func (d *Decision) Amendment() (*Amendment, error) {
	if d.Kind != Amend || len(d.Blobs) != 1 {
		return nil, fmt.Errorf("slot %d: want an amendment, got a %s of %d blobs", d.Slot, d.Kind, len(d.Blobs))
	}
	return DecodeAmendment(d.Blobs[0])
}

// DecodeAmendment is the inverse of Encode.
func DecodeAmendment(b []byte) (*Amendment, error) {
	a := &Amendment{}
	if err := json.Unmarshal(b, a); err != nil {
		return nil, fmt.Errorf("amendment: %w", err)
	}
	return a, nil
}

// Amend returns the parameters of the run after an amendment, or an error if the amendment is
// invalid.
func (p Params) Amend(a *Amendment) (Params, error) {
	if a.Revision != p.Revision+1 {
		return p, fmt.Errorf("revision: want %d, got %d", p.Revision+1, a.Revision)
	}
	if err := p.checkPause(a); err != nil {
		return p, err
	}
	next := p
	next.Revision, next.Plans = a.Revision, nil
	switch {
	case a.Pause:
		next.Paused = a.Revision
	case a.Resume:
		next.Paused = 0
	}
	next.Quorum, next.Colluders = a.Quorum, a.Colluders
	next.Removed = slices.Clone(p.Removed)
	for i, r := range a.Removed {
		if int(r) >= len(p.Members) || slices.Contains(p.Removed, r) || i > 0 && r <= a.Removed[i-1] {
			return p, fmt.Errorf("removed members: want ranks of current members in ascending order, got %d", a.Removed)
		}
		next.Removed = append(next.Removed, r)
	}
	slices.Sort(next.Removed)
	next.Members = slices.Clone(p.Members)
	for _, s := range a.Added {
		for rank, name := range next.Members {
			if name == s.Name && !slices.Contains(next.Removed, uint32(rank)) {
				return p, fmt.Errorf("added members: %s is in the roster already", s.Name)
			}
		}
		next.Members = append(next.Members, s.Name)
	}
	// Validate checks that the new roster can form a view.
	if err := next.Validate(len(next.Members) - len(next.Removed)); err != nil {
		return p, err
	}
	// A removed member ends once it knows of its removal. The others must be able to finish
	// without it anything that it may have decided.
	size := len(p.Members) - len(p.Removed)
	if most := size - p.Rules(size).Quorum; size <= SmallRoster && len(a.Removed) > most {
		return p, fmt.Errorf("removed members: want at most %d of %d at a time, so that the others are a quorum, got %d", most, size, len(a.Removed))
	}
	return next, nil
}

// checkPause returns an error if an amendment cannot pause or resume the run.
func (p Params) checkPause(a *Amendment) error {
	switch {
	case !a.Pause && !a.Resume:
		return nil
	case a.Pause && a.Resume || len(a.Removed)+len(a.Added) > 0 || a.Quorum != p.Quorum || a.Colluders != p.Colluders:
		return errors.New("pause or resume: want no other change in the amendment, got more")
	case a.Pause && p.Paused > 0:
		return fmt.Errorf("pause: revision %d has already paused the run", p.Paused)
	case a.Resume && p.Paused == 0:
		return errors.New("resume: the run is not paused")
	}
	return nil
}

// checkSelf returns a *RemovedError if this member has been removed.
func (p Params) checkSelf() error {
	if _, removed := slices.BinarySearch(p.Removed, uint32(p.Self)); removed {
		return &RemovedError{Revision: p.Revision}
	}
	return nil
}

// ranks returns the ranks of the members, or nil if no rank was removed.
func (p Params) ranks() []int {
	if p.Removed == nil {
		return nil
	}
	var ranks []int
	for r := range p.Members {
		if _, removed := slices.BinarySearch(p.Removed, uint32(r)); !removed {
			ranks = append(ranks, r)
		}
	}
	return ranks
}

func (m *Machine) form(p Params) error {
	size := len(p.Members) - len(p.Removed)
	if err := p.Validate(size); err != nil {
		return err
	}
	if p.Plans == nil {
		p.Plans = NewPlans(p.Settings)
	}
	if _, err := p.Plans.For(size); err != nil {
		return err
	}
	m.p, m.plans = p, p.Plans
	m.roster = &roster{Rules: p.Rules(size), run: p.Run, self: p.Self, keys: p.Keys, names: p.Members, paused: p.Paused > 0}
	m.roster.ranks = p.ranks()
	m.roster.Committee = m.plans.committeeOf(p.Run, p.Revision, m.roster.Rules)
	return nil
}

// voteAmendment votes for the amendment of a view. A member that requests another amendment, or
// none, first fetches it from a member that has voted.
func (m *Machine) voteAmendment(v *View, e *Effects) bool {
	s := m.slot
	if !m.roster.decides(m.p.Self) || s.ballots.voted() {
		return false
	}
	sealed := s.amendment
	if m.requested() == v.Amends {
		sealed = m.sealedAmendment(v.Ballot, m.amendment.Encode())
	}
	if sealed == nil || sealed.Attempt != v.Ballot {
		return false
	}
	m.vote(v.Ballot, sealed, sealed.digest(m.p.Run, s.number), e)
	return true
}

// fetches reports whether this member lacks the amendment that it has to vote for.
func (m *Machine) fetches(v *View) bool {
	has := m.requested() == v.Amends || m.slot.amendment != nil && m.slot.amendment.Attempt == v.Ballot
	return v.amends() && m.roster.decides(m.p.Self) && !has
}

// receiveAmendment takes the amendment that this member has to vote for, if it is the one that
// a quorum requested and it is valid.
func (m *Machine) receiveAmendment(v *View, sealed *Sealed) {
	if sealed.Attempt != v.Ballot || sealed.Header.Kind != Amend {
		return
	}
	a, err := DecodeAmendment(sealed.Blobs[0])
	if err != nil || a.digest() != v.Amends {
		return
	}
	if _, err := m.p.Amend(a); err == nil {
		m.slot.amendment = m.sealedAmendment(v.Ballot, a.Encode())
	}
}

// receiveStranger handles a message from a sender outside this member's roster. The whole
// roster may have been replaced since, so it accepts decisions and asks a sender that is ahead
// for them. It also helps removed members. It ignores everything else.
func (m *Machine) receiveStranger(from int, msg Message, e *Effects) {
	switch b := msg.Body.(type) {
	case *Decided:
		m.receiveDecided(b, e)
	case *Heartbeat:
		if msg.Slot > m.slot.number && m.asks(m.p.Heartbeat/8) {
			m.sendHeartbeat(from, e)
		}
		m.helpRemoved(from, msg, b, e)
	}
}

// helpRemoved sends a removed member the decisions up to its removal, and nothing later.
func (m *Machine) helpRemoved(from int, msg Message, b *Heartbeat, e *Effects) {
	last, removed := m.removed[from]
	if !removed || msg.Slot > last || b.Ask != uint32(m.p.Self)+1 {
		return
	}
	switch {
	case m.last != nil && msg.Slot == m.last.number:
		m.helpOpen(m.last, from, b, e)
	case msg.Slot < m.slot.number && msg.Slot+1 < m.slot.number:
		e.Serves = append(e.Serves, Serve{To: from, Slot: msg.Slot})
	}
}

// sealedAmendment returns the sealed result to vote for. It follows from the slot and the
// amendment alone, so a certificate proves the amendment.
func (m *Machine) sealedAmendment(attempt uint32, amendment []byte) *Sealed {
	header := m.header(Call{Kind: Amend, Round: m.slot.modelRound}, RunningHeader{})
	return &Sealed{Attempt: attempt, Header: header, Blobs: [][]byte{amendment}}
}

// checkAmendment returns an error if a decision of kind Amend does not match its certificate or
// contains an invalid amendment.
func (m *Machine) checkAmendment(d *Decision) error {
	a, err := d.Amendment()
	if err != nil {
		return err
	}
	if d.Round != m.slot.modelRound || d.Members != nil || d.Missing != nil || d.Total != nil || d.Digest != digestOfBlobs(d.Blobs) {
		return errors.New("its content does not follow from the amendment")
	}
	if v := d.Certificate.Value; v.Attempt != d.Attempt || v.Digest != m.sealedAmendment(d.Attempt, d.Blobs[0]).digest(m.p.Run, d.Slot) {
		return errors.New("its certificate is for another amendment")
	}
	_, err = m.p.Amend(a)
	return err
}

func (m *Machine) noteRemoved(a *Amendment, slot uint64) {
	for _, r := range a.Removed {
		m.removed[int(r)] = slot
	}
}

// amend forms the roster that a decision has made, and returns its amendment.
func (m *Machine) amend(d *Decision) (*Amendment, error) {
	a, err := d.Amendment()
	if err != nil {
		return nil, err
	}
	next, err := m.p.Amend(a)
	if err != nil {
		return nil, fmt.Errorf("amendment: %w", err)
	}
	return a, m.form(next)
}

// reform continues the run with the roster that a decision has made.
func (m *Machine) reform(d *Decision) error {
	a, err := m.amend(d)
	if err != nil {
		return fmt.Errorf("slot %d: %w", d.Slot, err)
	}
	m.monitor.reform(m.roster, m.now)
	m.amendment, m.formed = nil, d.Slot+1
	m.noteRemoved(a, d.Slot)
	return m.p.checkSelf()
}

// request records the amendment that this member requests, and informs the others.
func (m *Machine) request(a *Amendment, e *Effects) {
	if m.err != nil {
		return
	}
	m.amendment = nil
	if a != nil && m.CheckRequest(a) == nil {
		m.amendment, m.amends = a, a.digest()
	}
	m.sendHeartbeat(All, e)
	m.judge(e)
}

// CheckRequest returns why an amendment cannot be requested now, or nil if it can.
func (m *Machine) CheckRequest(a *Amendment) error {
	if _, err := m.p.Amend(a); err != nil {
		return err
	}
	// In a large roster the members that stay in the committee must be able to finish the slot
	// without those that leave.
	left := len(m.roster.Committee)
	for _, r := range a.Removed {
		if m.roster.decides(int(r)) {
			left--
		}
	}
	if most := len(m.roster.Committee) - m.roster.Quorum; m.roster.Committee != nil && left < m.roster.Quorum {
		return fmt.Errorf("removed members: want at most %d of the %d of the committee at a time, so that the others are a quorum, got %d",
			most, len(m.roster.Committee), len(m.roster.Committee)-left)
	}
	return nil
}

// A Wanted is an amendment that members request.
type Wanted struct {
	Amends  [32]byte // digest of the amendment
	Members []uint32 // in rank order
}

// requested returns the digest of the amendment that this member requests, or zero for none.
func (m *Machine) requested() [32]byte {
	if m.amendment == nil {
		return [32]byte{}
	}
	return m.amends
}

// requestedNow is like requested, but returns zero if the roster cannot change in the current
// slot.
func (m *Machine) requestedNow() [32]byte {
	if !m.amendable() {
		return [32]byte{}
	}
	return m.requested()
}

// amendable reports whether the roster may change in the current slot: between two rounds, and
// in a slot that waits for all members, since one may be gone for good. Without a call, this
// member leaves that judgement to the others.
func (m *Machine) amendable() bool {
	c := m.slot.call
	return c == nil || c.header.Round > 0 && c.header.Round != m.slot.modelRound || m.waitsForAll()
}

// amendsNow reports whether this member has to propose the amendment. It does so where the roster
// may change, if a quorum requests the amendment and no member of lower rank can propose it.
// While the run is paused, no learner needs to have come to the slot.
func (m *Machine) amendsNow() bool {
	if m.amendment == nil || m.slot.call == nil && !m.roster.paused || !m.amendable() || !m.unbegun() {
		return false
	}
	agree, lower := m.monitor.supports(m.now, m.amends)
	return agree >= m.roster.Quorum && !lower
}

// unbegun reports whether an amendment interrupts nothing: the session of the preset view has
// not begun, or the promised ballot has had no view for some time, as with too few members.
func (m *Machine) unbegun() bool {
	s := m.slot
	if s.ballots.promised == 0 {
		return s.attempts[0] == nil || s.attempts[0].lanes == nil
	}
	return s.ballots.finishing() == nil && s.ballots.working() == nil && m.now-m.monitor.since > 2*viewWait*m.p.Heartbeat
}

// rests reports whether the run is paused and this member knows of no amendment under way. It
// then waits for nobody and judges nobody.
func (m *Machine) rests() bool {
	b := &m.slot.ballots
	return m.roster.paused && b.commit == nil && b.working() == nil && b.finishing() == nil
}
