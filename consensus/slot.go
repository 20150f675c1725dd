package consensus

import (
	"slices"
	"time"

	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus/session"
)

// slot is one member's state in one slot. What is marked kept is on disk before
// any message that follows from it leaves (persist.go).
type slot struct {
	position
	round   uint32 // kept: of the slot before
	preset  *View  // kept: of ballot 0
	ballots ballots

	call      *call // kept: frozen at the first entry, in every attempt the same
	entered   int64 // kept: highest ballot whose secrets were drawn, -1 for none
	attempts  map[uint32]*attempt
	sealed    map[uint32]*Sealed  // kept: what has been voted for, by attempt
	digests   map[uint32][32]byte // of sealed
	amendment *Sealed             // that this member is to vote for, from others
	dirty     bool                // what is kept beside the ballots has changed
	barred    bool                // an earlier process may have acted in it, and nothing is known of that
	marked    bool                // it is on disk that the slot was begun
	callNew   bool                // the call is not on disk yet
	unsaved   []uint32            // attempts whose sealed result is not

	pads    map[int][32]byte         // kept: of the decided attempt
	hints   map[int][]Message        // pads and shares that came before the decision, by member
	shares  map[int][]chunking.Share // shown for pads of lost members, by their owner
	shown   bool                     // own shares were sent
	decided time.Duration            // when the commit was known
	lost    []uint32                 // whose pads came from shares
	unmask  *unmasking               // of a large roster's decided attempt
	padSum  []uint64                 // kept: what it came to

	padSumNew bool          // it is not on disk yet
	began     time.Duration // of this member's call
}

// attempt is one member's part in one ballot's new view.
type attempt struct {
	view   *View
	member []int // of the view, as ranks

	dealt   bool                   // kept: this member has drawn its secrets
	pad     [32]byte               // kept: own
	held    map[int]chunking.Share // kept: shares of the others' pads
	commits map[int][32]byte       // kept with held: to the others' pads
	here    bool                   // the secrets were drawn by this process

	handedOut   []chunking.Mask
	dealtShares map[int]*chunking.Share
	seeds       map[int]*Seeds
	blobs       map[int][]byte
	gathered    map[int]*Blob // as they came
	early       []frame       // before the session began
	layout      *chunking.Layout
	lanes       []session.Session
	result      *Sealed  // what this member's session ended with
	digest      [32]byte // of it
	seal        *Sealed  // the sealer's, to be checked
	sealedBy    int      // who passed it on
	rounds      int
	apart       float64 // ‖own − adopted‖₂
	open        float64 // the largest that it may be
	settled     bool    // has what it waits for the votes of others for
}

type frame struct {
	from int
	step *Step
}

func newSlot(r *roster, at position, round uint32, preset *View) *slot {
	return &slot{
		position: at, round: round, preset: preset, entered: -1, ballots: newBallots(r, at, preset),
		attempts: map[uint32]*attempt{}, sealed: map[uint32]*Sealed{},
		digests: map[uint32][32]byte{}, hints: map[int][]Message{},
		pads: map[int][32]byte{}, shares: map[int][]chunking.Share{},
	}
}

func newAttempt(v *View) *attempt {
	return &attempt{
		view: v, held: map[int]chunking.Share{}, commits: map[int][32]byte{},
		seeds: map[int]*Seeds{}, blobs: map[int][]byte{}, gathered: map[int]*Blob{},
	}
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
		s.attempts[ballot] = newAttempt(v)
	}
	a := s.attempts[ballot]
	if a.member == nil {
		a.member = m.seats(v).ranks
	}
	return a
}

// amends says whether the view amends the roster, so that nothing is dealt in it.
func (v *View) amends() bool { return v.Amends != [32]byte{} }

// has says whether a member is in the view.
func (v *View) has(member int) bool {
	_, in := slices.BinarySearch(v.Members, uint32(member))
	return in
}
