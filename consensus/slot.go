package consensus

import (
	"slices"
	"time"
)

// slot is one member's state in one slot. What is marked kept is on disk before
// any message that follows from it leaves (persist.go).
type slot struct {
	position
	naming  naming
	round   uint32 // kept: of the slot before
	preset  *View  // kept: of ballot 0
	ballots ballots
	results results
	opener  opener // of the decided attempt; nil before the decision

	call      *call         // kept: frozen at the first entry, in every attempt the same
	began     time.Duration // of this member's call
	entered   int64         // kept: highest ballot whose secrets were drawn, -1 for none
	attempts  map[uint32]*attempt
	hints     map[int][]Message // what came of an opening before the decision, by member
	amendment *Sealed           // that this member is to vote for, from others

	abstains   bool // an earlier process may have acted in it, and nothing is known of that
	dirty      bool // what is kept beside the ballots has changed
	marked     bool // it is on disk that the slot was begun
	callSaved  bool // the call is on disk
	carries    bool // what is known of running totals is to be written
	padSumKept bool // so is the sum of the pads
}

func newSlot(r *roster, at position, round uint32, preset *View) *slot {
	return &slot{
		position: at, naming: naming{r.run, at.number}, round: round, preset: preset, entered: -1,
		ballots: newBallots(r, at, preset), results: newResults(r.run, at.number),
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

// values returns the length of the vector that this member brings, 0 if there is none.
func (s *slot) values() int {
	if s.call == nil {
		return 0
	}
	return int(s.call.header.Length)
}

// attempt returns the state of the ballot's new view, made when first needed, or
// nil where the ballot has none that is known.
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

// amends reports whether the view amends the roster, so that nothing is dealt in it.
func (v *View) amends() bool { return v.Amends != [32]byte{} }

// has reports whether a member is in the view.
func (v *View) has(member int) bool {
	_, in := slices.BinarySearch(v.Members, uint32(member))
	return in
}
