package consensus

import (
	"slices"
	"time"

	"github.com/collabdict/collabdict/chunking"
)

// opener opens the result that a slot has decided: it takes the pads off. It is made with
// the decision, so that nothing of another attempt is ever told. It has two forms: in
// rosters up to SmallRoster each pad is told to all (openPads); in larger ones, where a
// committee decides, the pads are added up in a session of their own (openSum).
type opener interface {
	// receive takes what another member says of the decided attempt.
	receive(from int, body Body, at opening) []mail

	// advance does what this member can do for the result to be opened. It reports
	// whether that was a step forward.
	advance(at opening) (out []mail, step bool)

	// ready reports whether the result can be opened.
	ready(sealed *Sealed) bool

	// total returns the values of a sum that is ready.
	total(sealed *Sealed) ([]float64, error)

	// tick does what is due when others do not do their part.
	tick(at opening, w patience) []mail

	// waiting returns the members whose messages this one needs to go on.
	waiting(sealed *Sealed) []int

	// help returns what opens the result for a member that asks.
	help(at opening) []Body

	// again returns the messages of a round that a member lacks while it waits for this one.
	again(to int, round uint32) []mail

	// session reports whether a session is under way, and its round.
	session() (round uint32, runs bool)

	// recovered returns the members whose pads were put together from shares.
	recovered() []uint32

	// known returns what is kept on disk: the pads, and their sum.
	known() []Pad
	padSum() []uint64

	// close drops all but what opens the result for others.
	close()
}

// opening describes the decided attempt to an opener: the sealed result, nil as
// long as this member lacks it, and what this member holds of the pads.
type opening struct {
	now     time.Duration
	every   time.Duration // between two heartbeats
	sealed  *Sealed
	secrets *secrets // nil if this member has no part in it
	values  int      // of the vector, as far as known; else 0
}

// patience says how long an opener may wait.
type patience struct {
	every time.Duration // between two heartbeats
	stall time.Duration // without a step before a session is given up
	lost  []int         // members, in rank order
}

func (w *patience) without(member int) bool {
	_, lost := slices.BinarySearch(w.lost, member)
	return lost
}

// mail is a message of an opener.
type mail struct {
	to   int // a member, All, or one of the below
	body Body
}

const (
	toDeciders  = -2 // all members that decide
	toFollowers = -3 // the members that this one of the committee passes decisions on to
)

// decidedSlot is what both forms of an opener know of the slot.
type decidedSlot struct {
	*roster
	naming
	plans   *Plans
	attempt uint32                   // whose result it is
	shares  map[int][]chunking.Share // shown for pads of lost members, by their owner
}

// newOpener returns the opener of an attempt that was decided. Pads and sum are what an
// earlier process knew.
func newOpener(r *roster, at position, plans *Plans, attempt uint32, now time.Duration, pads []Pad, sum []uint64) opener {
	d := decidedSlot{roster: r, naming: naming{r.run, at.number}, plans: plans, attempt: attempt, shares: map[int][]chunking.Share{}}
	if r.Committee != nil {
		return &openSum{decidedSlot: d, chain: at.chain, since: now, sum: sum}
	}
	o := &openPads{decidedSlot: d, decided: now, pads: map[int][32]byte{}}
	for _, p := range pads {
		o.pads[int(p.Member)] = p.Seed
	}
	return o
}

// receiveShares takes shares of lost members' pads.
func (d *decidedSlot) receiveShares(shares []PadShare) {
	for _, s := range shares {
		if d.belongs(int(s.Member)) {
			d.addShare(int(s.Member), s.Share)
		}
	}
}

func (d *decidedSlot) addShare(owner int, share chunking.Share) {
	for _, known := range d.shares[owner] {
		if known.X == share.X {
			return
		}
	}
	d.shares[owner] = append(d.shares[owner], share)
}

// padFromShares puts a member's pad together, if there are enough shares and they give
// what it has committed to.
func (d *decidedSlot) padFromShares(owner int, commit [32]byte) (pad [32]byte, ok bool) {
	if d.Shares == 0 || len(d.shares[owner]) < d.Shares {
		return pad, false
	}
	pad, err := chunking.JoinSecret(d.shares[owner], d.Shares)
	return pad, err == nil && d.commitment(owner, d.attempt, pad) == commit
}

// layout returns how the vectors of a sum are laid out.
func (d *decidedSlot) layout(sealed *Sealed) (*chunking.Layout, error) {
	return d.plans.layout(len(sealed.Members), sealed.Blocks)
}
