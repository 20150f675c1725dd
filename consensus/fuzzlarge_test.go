package consensus

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/collabdict/collabdict/chunking"
)

// A FuzzedLarge is one member of a roster with a committee, the messages that the others have
// sent it in a run, and an attacker.
type FuzzedLarge struct {
	t        testing.TB
	m        *Machine
	tape     []delivery // messages still to be delivered
	want     *Decision
	shares   map[uint32][]delivery // shares that honest members hold, by the owner of the pad
	in       *Input
	attacker int
}

const LargeSize = SmallRoster + 2

// largeStages are the states at which the member is fuzzed.
var largeStages = []func(m *Machine) bool{
	func(m *Machine) bool { return m.State() == Session },
	func(m *Machine) bool { return m.slot.ballots.commit != nil },
	func(m *Machine) bool { _, opens := m.slot.opens(); return opens },
}

var largeKinds = []Settings{exact, floating}

// LargeStages and LargeKinds return the number of stages and kinds.
func LargeStages() int { return len(largeStages) }
func LargeKinds() int  { return len(largeKinds) }

var fuzzedLarge = map[[2]int]*FuzzedLarge{}

// largeAt returns a member outside the committee at a stage.
func largeAt(t testing.TB, kind, stage int) *FuzzedLarge {
	t.Helper()
	key := [2]int{kind, stage}
	if fuzzedLarge[key] != nil {
		return fuzzedLarge[key]
	}
	n := signed(t, newNetwork(t, LargeSize, largeKinds[kind]))
	committee := n.members[0].roster.Committee
	self := LargeSize - 1
	for slices.Contains(committee, self) {
		self--
	}
	var xs [][]float64
	for s := range LargeSize {
		xs = append(xs, []float64{float64(s * s), 1, -0.5})
	}
	blocks := slices.Clone(fuzzedBlocks)
	blocks[0].Bound = 1 << 13
	n.callAll(sumOf(1, xs, blocks))
	var reached []*FuzzedLarge
	n.watch = func(s int, ev Event, _ Effects) {
		if r, is := ev.(Receive); is && s == self {
			for _, x := range reached {
				x.tape = append(x.tape, delivery{r.From, s, r.Message.message})
			}
		}
	}
	for i, is := range largeStages {
		if !n.deliverUntil(func() bool { return is(n.members[self].Machine) }) {
			t.Fatalf("stage %d: never reached", i)
		}
		x := &FuzzedLarge{m: copyOf(n.members[self].Machine), attacker: committee[0]}
		reached = append(reached, x)
		fuzzedLarge[[2]int{kind, i}] = x
	}
	n.settle()
	for _, x := range reached {
		x.want = n.checkDecisions()
	}
	checkTotal(t, reached[0].want, xs, blocks, 1e-6)
	shares := map[uint32][]delivery{}
	for s, m := range n.members {
		if m.last == nil || s == committee[0] {
			continue
		}
		attempt := m.last.ballots.commit.Value.Attempt
		if a := m.last.attempts[attempt]; a != nil {
			for of, share := range a.secrets.held {
				b := &Shares{Shares: []PadShare{{uint32(of), *share}}}
				shares[uint32(of)] = append(shares[uint32(of)], delivery{s, self, Message{Ballot: attempt, Body: b}})
			}
		}
	}
	if len(shares) == 0 {
		t.Fatal("nobody holds shares")
	}
	for _, x := range reached {
		x.shares = shares
	}
	return fuzzedLarge[key]
}

// NewFuzzedLarge returns the run that the first bytes select. The other bytes are for Next.
func NewFuzzedLarge(t testing.TB, b []byte) (*FuzzedLarge, *Input) {
	in := &Input{b}
	stage, kind := in.below(len(largeStages)), in.below(len(largeKinds))
	x := *largeAt(t, kind, stage)
	x.t, x.in, x.m = t, in, copyOf(x.m)
	return &x, in
}

// Next returns the attacker's next message, after some honest messages were delivered.
func (x *FuzzedLarge) Next(body func(*FuzzedLarge) Body) Message {
	for range x.in.below(16) {
		x.hear()
	}
	msg := Message{Body: body(x)}
	if x.in.below(8) == 7 {
		msg.Ballot = uint32(x.in.byte())
	}
	return msg
}

// Give gives the member a message of the attacker.
func (x *FuzzedLarge) Give(msg Valid) {
	x.step(delivery{from: x.attacker, msg: msg.message})
	if b, is := msg.message.Body.(*Reopen); is && x.in.below(4) < 3 {
		x.answer(b)
	}
	if c := x.in.below(16); c > 8 { // time passes, so that due messages are sent
		x.tick(time.Duration(c) * time.Second)
	}
}

func (x *FuzzedLarge) tick(after time.Duration) {
	for end := x.m.now + after; x.m.now < end; {
		x.check("a tick", x.m.Step(x.m.now+500*time.Millisecond, Tick{Learner: 1}))
	}
}

// Finish gives the member the remaining messages of the others.
func (x *FuzzedLarge) Finish() {
	for len(x.tape) > 0 {
		x.hear()
	}
}

func (x *FuzzedLarge) hear() {
	if len(x.tape) > 0 {
		d := x.tape[0]
		x.tape = x.tape[1:]
		x.step(d)
	}
}

func (x *FuzzedLarge) step(d delivery) {
	x.t.Helper()
	x.check(describeBody(d.msg), x.m.Step(x.m.now, received(x.t, d.from, d.msg)))
}

// check asserts that the member decides as the others do or not at all, and sends no pad or
// share before.
func (x *FuzzedLarge) check(cause string, e Effects) {
	x.t.Helper()
	for _, got := range e.Decisions {
		if got.Chain != x.want.Chain {
			x.t.Fatalf("%s: decides on %v, the others on %v", cause, got.Total, x.want.Total)
		}
	}
	for _, send := range e.Sends {
		switch b := send.Message.Body.(type) {
		case *Pads, *Shares:
		case *Step:
			if b.Lane == 0 {
				continue
			}
		default:
			continue
		}
		if x.m.slot.number == 0 && x.m.slot.ballots.commit == nil {
			x.t.Fatalf("sends %s without a certificate", describeBody(send.Message))
		}
	}
	if spoilt := new(chunking.TotalError); e.Err != nil && !errors.As(e.Err, &spoilt) && !strings.HasPrefix(e.Err.Error(), x.m.p.Members[x.attacker]+" ") {
		x.t.Fatalf("%s: ended with %v", cause, e.Err)
	}
}

func (x *FuzzedLarge) rank() uint32 {
	switch x.in.below(4) {
	case 0:
		return uint32(x.m.p.Self)
	case 1:
		return uint32(x.attacker)
	}
	return uint32(x.in.below(LargeSize))
}

func (x *FuzzedLarge) epoch() uint32 {
	switch x.in.below(6) {
	case 0:
		return math.MaxUint32
	case 1:
		return uint32(x.in.uint64())
	}
	return uint32(x.in.below(100))
}

func (x *FuzzedLarge) words() []uint64 {
	words := make([]uint64, x.in.below(8))
	for i := range words {
		words[i] = x.in.uint64()
	}
	return words
}

// rightReopen returns an attacker's Reopen without some members, which are in rank order and
// have substitutes that are not lost. Sometimes one thing in it is wrong.
func (x *FuzzedLarge) rightReopen() *Reopen {
	b := &Reopen{Epoch: x.m.roster.next(x.attacker, uint32(x.in.below(40)))}
	if o, is := x.m.slot.opener.(*openSum); is {
		b.Epoch = x.m.roster.next(x.attacker, o.epoch)
	}
	lost := map[int]bool{}
	for range x.in.below(6) {
		if s := x.in.below(LargeSize); s != x.m.p.Self {
			lost[s] = true
		}
	}
	by := func() uint32 {
		s := []int{x.m.p.Self, x.attacker, x.in.below(LargeSize)}[x.in.below(3)]
		for lost[s] {
			s = (s + 1) % LargeSize
		}
		return uint32(s)
	}
	for s := range LargeSize {
		if lost[s] {
			b.Lost = append(b.Lost, Substitute{uint32(s), by()})
		}
	}
	switch n := len(b.Lost); x.in.below(16) {
	case 1:
		b.Epoch = x.epoch()
	case 2:
		b.Lost = append(b.Lost, b.Lost...)
	case 3:
		if n > 0 {
			b.Lost[x.in.below(n)].By = x.rank()
		}
	case 4:
		if n > 0 {
			b.Lost[x.in.below(n)].Member = uint32(x.m.p.Self)
		}
	}
	return b
}

// answer lets the holders of lost members' shares send them to the member, if it is the
// substitute.
func (x *FuzzedLarge) answer(b *Reopen) {
	for _, l := range b.Lost {
		if int(l.By) != x.m.p.Self {
			continue
		}
		for _, d := range x.shares[l.Member] {
			x.step(d)
		}
	}
}

func InventReopen(x *FuzzedLarge) Body {
	if x.in.below(4) > 0 {
		return x.rightReopen()
	}
	b := &Reopen{Epoch: x.epoch()}
	switch n := x.in.byte(); {
	case n < 128:
		for range n % 8 {
			b.Lost = append(b.Lost, Substitute{x.rank(), x.rank()})
		}
	default: // all but some
		for s := range uint32(LargeSize) {
			if s >= uint32(n)%4 && int(s) != x.m.p.Self {
				b.Lost = append(b.Lost, Substitute{s, x.rank()})
			}
		}
	}
	if x.in.below(2) == 1 {
		by := x.rank()
		for i := range b.Lost {
			b.Lost[i].By = by
		}
		slices.SortFunc(b.Lost, func(a, b Substitute) int { return int(a.Member) - int(b.Member) })
		b.Lost = slices.CompactFunc(b.Lost, func(a, b Substitute) bool { return a.Member == b.Member })
		b.Lost = slices.DeleteFunc(b.Lost, func(l Substitute) bool { return l.Member == by })
	}
	return b
}

func InventOpened(x *FuzzedLarge) Body { return &Opened{Words: x.words()} }

func InventUnmask(x *FuzzedLarge) Body {
	b := &Step{Lane: 1, Round: uint32(x.in.below(9)), Part: uint32(x.in.below(3)), Words: x.words()}
	if o, is := x.m.slot.opener.(*openSum); is {
		b.Lane += o.epoch
	}
	if x.in.below(8) == 7 {
		b.Lane = x.epoch()
	}
	return b
}
