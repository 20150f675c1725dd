package consensus

import (
	"slices"
	"time"

	"github.com/collabdict/collabdict/chunking"
)

// An opener removes the pads from the result that a slot has decided. It exists only after the
// decision, so it reveals nothing of another attempt. In rosters up to SmallRoster each member
// sends its pad to all (openPads); in larger ones the members add up the pads in a session
// (openSum).
type opener interface {
	// receive processes another member's message about the decided attempt.
	receive(from int, body Body, open opening) []mail

	// advance does this member's next step towards opening the result. It reports whether it
	// made progress.
	advance(open opening) (out []mail, step bool)

	// ready reports whether the result can be opened.
	ready(sealed *Sealed) bool

	// total returns the values of a sum that is ready.
	total(sealed *Sealed) ([]float64, error)

	// tick takes the steps that are due when others do not do their part.
	tick(open opening, w patience) []mail

	// waiting returns the members whose messages this one needs.
	waiting(sealed *Sealed) []int

	// help returns the messages that open the result for a member that asks.
	help(open opening) []Body

	// again returns this member's messages of a round for a member that lacks them.
	again(to int, round uint32) []mail

	// session reports whether a session is under way, and its round.
	session() (round uint32, runs bool)

	// recovered returns the members whose pads were rebuilt from shares.
	recovered() []uint32

	// known and padSum return the pads and their sum, which are kept on disk.
	known() []Pad
	padSum() []uint64

	// close drops all state except what opens the result for others.
	close()
}

// An opening describes the decided attempt to an opener.
type opening struct {
	now     time.Duration
	every   time.Duration // time between two heartbeats
	sealed  *Sealed       // nil if this member lacks the result
	secrets *secrets      // nil if this member has no part in the attempt
	values  int           // length of the vector; 0 if unknown
}

// A patience limits how long an opener waits.
type patience struct {
	stall time.Duration // time without progress after which a session is abandoned
	lost  []int
}

func (w *patience) without(member int) bool {
	_, lost := slices.BinarySearch(w.lost, member)
	return lost
}

// A mail is a message of an opener or an attempt.
type mail struct {
	to   int // rank of a member, All, or one of the constants below
	body Body
}

const (
	toDeciders  = -2 // all members that vote
	toFollowers = -3 // the members that this member of the committee keeps informed
)

// A decidedSlot is the state that both forms of an opener share.
type decidedSlot struct {
	*roster
	naming
	plans   *Plans
	attempt uint32                   // the decided attempt
	shares  map[int][]chunking.Share // shares received for pads of lost members, by owner
}

// newOpener returns the opener of a decided attempt. pads and sum are those that an earlier
// process knew.
func newOpener(r *roster, pos position, plans *Plans, attempt uint32, now time.Duration, pads []Pad, sum []uint64) opener {
	d := decidedSlot{roster: r, naming: naming{r.run, pos.number}, plans: plans, attempt: attempt, shares: map[int][]chunking.Share{}}
	if r.Committee != nil {
		return &openSum{decidedSlot: d, chain: pos.chain, since: now, sum: sum}
	}
	o := &openPads{decidedSlot: d, decided: now, pads: map[int][32]byte{}}
	for _, p := range pads {
		o.pads[int(p.Member)] = p.Seed
	}
	return o
}

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

// padFromShares rebuilds a member's pad. ok reports whether there are enough shares and the
// result matches the member's commitment.
func (d *decidedSlot) padFromShares(owner int, commit [32]byte) (pad [32]byte, ok bool) {
	if d.Shares == 0 || len(d.shares[owner]) < d.Shares {
		return pad, false
	}
	pad, err := chunking.JoinSecret(d.shares[owner], d.Shares)
	return pad, err == nil && d.commitment(owner, d.attempt, pad) == commit
}

func (d *decidedSlot) layout(sealed *Sealed) (*chunking.Layout, error) {
	return d.plans.layout(len(sealed.Members), sealed.Blocks)
}
