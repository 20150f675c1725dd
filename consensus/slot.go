package consensus

import (
	"slices"
	"time"
)

// A slot is one member's state in one slot. Fields marked kept are on disk before any message
// that follows from them leaves (persist.go).
type slot struct {
	position
	modelRound uint32 // kept: round of the slot before
	preset     *View  // kept: view of ballot 0
	ballots    ballots
	results    results
	opener     opener // opener of the decided attempt; nil before the decision

	call      *call         // kept: frozen at the first deal, the same in all attempts
	began     time.Duration // start of this member's call
	entered   int64         // kept: highest ballot whose secrets were drawn, -1 for none
	attempts  map[uint32]*attempt
	hints     map[int][]Message // pads and shares before the decision, by member
	amendment *Sealed           // fetched from others, to vote for

	abstains   bool // an earlier process may have acted in the slot, and its state is lost
	dirty      bool // state marked kept has changed, outside the ballots
	marked     bool // the beginning of the slot is on disk
	callSaved  bool
	carries    bool // running totals have to be written
	padSumKept bool // the sum of the pads is on disk
}

func newSlot(r *roster, pos position, modelRound uint32, preset *View) *slot {
	return &slot{
		position: pos, modelRound: modelRound, preset: preset, entered: -1,
		ballots: newBallots(r, pos, preset), results: newResults(naming{r.run, pos.number}),
		attempts: map[uint32]*attempt{}, hints: map[int][]Message{},
	}
}

// opens returns the round of the session that opens the slot, if one is under way.
func (s *slot) opens() (round uint32, runs bool) {
	if s.opener == nil {
		return 0, false
	}
	return s.opener.session()
}

// values returns the length of this member's vector, 0 without one.
func (s *slot) values() int {
	if s.call == nil {
		return 0
	}
	return int(s.call.header.Length)
}

// attempt returns the attempt of a ballot, which it creates if needed. It returns nil if no NEW
// view of the ballot is known.
func (m *Machine) attempt(ballot uint32) *attempt {
	s := m.slot
	v := s.ballots.views[ballot]
	if v == nil || v.Finish != nil || v.amends() {
		return nil
	}
	if s.attempts[ballot] == nil {
		s.attempts[ballot] = newAttempt(m.roster, s.position, m.plans, v)
	}
	return s.attempts[ballot]
}

// amends reports whether the view amends the roster. Nothing is dealt in such a view.
func (v *View) amends() bool { return v.Amends != [32]byte{} }

// has reports whether a member is in the view.
func (v *View) has(member int) bool {
	_, in := slices.BinarySearch(v.Members, uint32(member))
	return in
}
