package consensus

import (
	"slices"
	"time"

	"github.com/collabdict/collabdict/consensus/session"
)

// An openSum opens a result with the sum of all pads. The members add up the pads in one more
// session, whose partial sums reveal nothing after the decision. If members are lost, the
// session restarts without them as another epoch, and others rebuild their pads. Each step may
// safely be repeated.
type openSum struct {
	decidedSlot
	chain [32]byte // hash over the slots before

	epoch  uint32
	lost   []Substitute
	tries  int // number of epochs before the current one
	since  time.Duration
	came   time.Duration // when this member came to the epoch
	begun  bool          // this member has the result, or has heard of the epoch from another
	adding session.Session
	early  []frame  // frames that came before the session began
	sum    []uint64 // kept: sum of the pads
}

// earlyOpening limits the frames that are kept before a member enters the session. No plan has
// this number of rounds.
const earlyOpening = 64

// lane returns the lane of the epoch's frames. Lanes of epochs come after those of the vectors.
func (o *openSum) lane() uint32 { return uint32(o.plans.settings.lanes()) + o.epoch }

// needed reports whether pads seal a result.
func (o *openSum) needed(sealed *Sealed) bool { return o.Sealed && sealed.Header.Kind == Sum }

func (o *openSum) ready(sealed *Sealed) bool { return !o.needed(sealed) || o.sum != nil }

func (o *openSum) total(sealed *Sealed) ([]float64, error) {
	layout, err := o.layout(sealed)
	if err != nil {
		return nil, err
	}
	if !o.needed(sealed) {
		return layout.Total(sealed.Words, nil)
	}
	return layout.Total(sealed.Words, o.sum)
}

func (o *openSum) receive(from int, body Body, open opening) []mail {
	if o.sum != nil {
		if s, is := body.(*Shares); is {
			o.receiveShares(s.Shares)
		}
		return nil
	}
	switch b := body.(type) {
	case *Shares:
		o.receiveShares(b.Shares)
	case *Step:
		o.receiveStep(from, b, open)
	case *Opened:
		o.receiveSum(b.Words, open)
	case *Reopen:
		strange := func(l Substitute) bool { return !o.belongs(int(l.Member)) || !o.belongs(int(l.By)) }
		if o.may(b.Epoch, open) && !slices.ContainsFunc(b.Lost, strange) {
			return o.reopen(b, open)
		}
	}
	return nil
}

// may reports whether to enter another member's epoch now. Members of the committee wait up to
// 64 heartbeats before another epoch (see wait). An epoch may be skipped if it comes after less
// than half that wait, or half a heartbeat for the first. If it was needed, a later one follows.
// The limit mostSkipped keeps a sender from using up the numbers.
func (o *openSum) may(epoch uint32, open opening) bool {
	return epoch-o.epoch <= mostSkipped &&
		(!o.begun || epoch > o.epoch && open.now-o.came >= open.every<<min(o.tries, longestTry)/2)
}

const (
	mostSkipped = 1 << 16 // largest difference between the numbers of two epochs that follow each other
	longestTry  = 6       // number of tries that double the wait for the next epoch
)

// receiveStep takes a frame of the session that adds up the pads. Invalid frames are ignored:
// another epoch will follow.
func (o *openSum) receiveStep(from int, b *Step, open opening) {
	o.begin(open.now)
	switch {
	case b.Lane != o.lane():
	case o.adding != nil:
		_ = o.adding.Receive(from, int(b.Round), int(b.Part), b.Words)
	case len(o.early) < earlyOpening+partsOf(open.values) && len(b.Words) <= session.PartWords:
		// In rosters of this size, longer vectors travel in parts.
		o.early = append(o.early, frame{from, b})
	}
}

func (o *openSum) begin(now time.Duration) {
	if !o.begun {
		o.begun, o.since, o.came = true, now, now
	}
}

func (o *openSum) receiveSum(words []uint64, open opening) {
	if open.sealed == nil || !o.needed(open.sealed) {
		return
	}
	o.sum = words
	if _, err := o.total(open.sealed); err != nil {
		o.sum = nil // not the sum of these pads: the next member asked may have the right one
	}
}

// reopen enters an epoch, and sends this member's shares of lost members' pads to their
// substitutes.
func (o *openSum) reopen(b *Reopen, open opening) []mail {
	if o.begun {
		o.tries++
	}
	o.begun, o.epoch, o.lost, o.since, o.came, o.adding, o.early = true, b.Epoch, b.Lost, open.now, open.now, nil, nil
	out := []mail{{toFollowers, b}}
	if open.secrets == nil {
		return out
	}
	for _, l := range b.Lost {
		share, held := open.secrets.held[int(l.Member)]
		switch {
		case !held:
		case int(l.By) == o.self:
			o.addShare(int(l.Member), *share)
		default:
			out = append(out, mail{int(l.By), &Shares{Shares: []PadShare{{l.Member, *share}}}})
		}
	}
	return out
}

func (o *openSum) advance(open opening) (out []mail, step bool) {
	if open.sealed == nil || o.ready(open.sealed) {
		return nil, false
	}
	o.begin(open.now)
	if o.adding == nil {
		if out = o.enter(open); o.adding == nil {
			return nil, false
		}
	}
	before := o.adding.Round()
	out = mailed(out, o.lane(), o.adding.Advance())
	if step = o.adding.Round() > before; step {
		o.since = open.now
	}
	if o.adding.Done() {
		o.sum = o.adding.Result()
	}
	return out, step
}

// enter enters the session with this member's pad, plus the pads of lost members that it stands
// in for, once it has rebuilt them.
func (o *openSum) enter(open opening) []mail {
	members := o.members(open.sealed)
	place, in := slices.BinarySearch(members, o.self)
	if open.secrets == nil || !open.secrets.dealt || len(members) < 2 || !in {
		return nil
	}
	layout, err := o.layout(open.sealed)
	if err != nil {
		return nil // total reports it
	}
	pads := make([]uint64, layout.Words())
	layout.AddMask(pads, o.padMask(o.self, o.attempt, open.secrets.pad))
	for _, l := range o.lost {
		if int(l.By) != o.self {
			continue
		}
		pad, known := o.padFromShares(int(l.Member), open.secrets.commits[int(l.Member)])
		if !known {
			return nil
		}
		layout.AddMask(pads, o.padMask(int(l.Member), o.attempt, pad))
	}
	plan := o.plans.plan(len(members)).unmasking(len(pads))
	o.adding = plan.New(session.Placement{Self: o.self, Members: members, Guess: place, Sums: o.plans.sums()}, pads)
	out := mailed(nil, o.lane(), o.adding.Start())
	for _, f := range o.early {
		_ = o.adding.Receive(f.from, int(f.step.Round), int(f.step.Part), f.step.Words) // as in receiveStep
	}
	o.early = nil
	return out
}

func (o *openSum) members(sealed *Sealed) []int {
	if len(o.lost) == 0 {
		return o.seats(sealed).ranks
	}
	var members []int
	for _, r := range sealed.Members {
		if !slices.ContainsFunc(o.lost, func(l Substitute) bool { return l.Member == r }) {
			members = append(members, int(r))
		}
	}
	return members
}

func (o *openSum) seats(sealed *Sealed) *seats {
	v := &View{Ballot: sealed.Attempt, Members: sealed.Members, Missing: sealed.Missing}
	return o.plans.seatsOf(o.roster, position{o.slot, o.chain}, v)
}

// tick begins the next epoch if the current one cannot end, this member is in the committee,
// and it is its turn.
func (o *openSum) tick(open opening, w patience) []mail {
	if !o.decides(o.self) || !o.begun || open.sealed == nil || o.ready(open.sealed) || open.now-o.since < o.wait(open, w) {
		return nil
	}
	b := &Reopen{Epoch: o.next(o.self, o.epoch)}
	for _, r := range open.sealed.Members {
		if s := int(r); w.without(s) {
			by := o.standIn(s, open.sealed, &w)
			if by < 0 {
				return nil // no holder of a share is there: wait for the pad
			}
			b.Lost = append(b.Lost, Substitute{r, uint32(by)})
		}
	}
	return append([]mail{{toDeciders, b}}, o.reopen(b, open)...)
}

// wait returns the time without progress after which this member begins another epoch. It is
// short if a participant is lost, and doubles with each epoch, so that all members hear of it.
// Members of the committee take turns in rank order.
func (o *openSum) wait(open opening, w patience) time.Duration {
	least := w.stall
	if slices.ContainsFunc(o.members(open.sealed), w.without) {
		least = open.every << min(o.tries, longestTry)
	}
	turn := 0
	for _, s := range o.Committee {
		if s < o.self && !w.without(s) {
			turn++
		}
	}
	return least + time.Duration(turn+1)*viewWait*open.every
}

// standIn returns the member that rebuilds a lost member's pad: the first holder of a share
// that is there, or -1.
func (o *openSum) standIn(member int, sealed *Sealed, w *patience) int {
	if o.Shares > 0 {
		for _, h := range o.seats(sealed).holders(member) {
			if !w.without(h) {
				return h
			}
		}
	}
	return -1
}

func (o *openSum) waiting(*Sealed) []int {
	if o.adding == nil {
		return nil
	}
	return o.adding.Waiting()
}

func (o *openSum) help(opening) []Body {
	switch {
	case o.sum != nil:
		return []Body{&Opened{Words: o.sum}}
	case o.epoch > 0:
		return []Body{&Reopen{Epoch: o.epoch, Lost: o.lost}}
	}
	return nil
}

func (o *openSum) again(to int, round uint32) (out []mail) {
	if o.adding == nil {
		return nil
	}
	for r := int(round); r <= int(round)+1; r++ {
		out = mailed(out, o.lane(), o.adding.Again(to, r))
	}
	return out
}

func (o *openSum) session() (round uint32, runs bool) {
	if o.adding == nil {
		return 0, false
	}
	return uint32(o.adding.Round()), true
}

func (o *openSum) recovered() []uint32 { return nil }

func (o *openSum) known() []Pad { return nil }

func (o *openSum) padSum() []uint64 { return o.sum }

func (o *openSum) close() {
	o.epoch, o.lost, o.adding, o.early, o.shares = 0, nil, nil, nil, nil
}
