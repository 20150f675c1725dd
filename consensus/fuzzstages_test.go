package consensus

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus/graph"
)

// The calls of fuzzed runs: each value has its own scale, and each set of members its own
// total.
var (
	fuzzedBlocks = []collabdict.Block{{Len: 2, Bound: 1 << 10}, {Len: 1, Bound: 1}}
	fuzzedValues = [][]float64{{1, -27, 0.5}, {2, 81, 0.25}, {4, -243, -0.125}, {8, 729, 0.0625}}
	fuzzedBlobs  = [][]byte{[]byte("zero"), {}, []byte("two"), []byte("three")}
	fuzzedSum    = sumOf(1, fuzzedValues, fuzzedBlocks)
	fuzzedGather = gatherOf(fuzzedBlobs)
)

var fuzzedKinds = []struct {
	settings Settings
	call     func(s int) Call
}{
	{exact, fuzzedSum},
	{Settings{Graph: graph.Ring, Protect: chunking.Chunks}, fuzzedSum},
	{Settings{Scheme: BaseK, Protect: chunking.Shamir, Chunks: 3, Threshold: 2}, fuzzedSum},
	{exact, fuzzedGather},
}

// fuzzedStages bring member 1 of a network of four to a stage of its first slot, or its second,
// by honest messages. Messages that they hold back stay in flight.
var fuzzedStages = []func(n *network, call func(s int) Call){
	func(n *network, call func(int) Call) { // the others have called
		for _, s := range []int{0, 2, 3} {
			n.call(s, call(s))
		}
	},
	func(n *network, call func(int) Call) { n.callAll(call) },
	func(n *network, call func(int) Call) { // in the middle of the session
		n.callAll(call)
		n.deliverUntil(func() bool { return n.members[1].State() >= Session })
		n.deliver(2)
	},
	func(n *network, call func(int) Call) { n.until(call, Sealing) },
	func(n *network, call func(int) Call) { n.until(call, Voted) },
	func(n *network, call func(int) Call) { n.until(call, Opening) },
	func(n *network, call func(int) Call) { // all have promised member 2's ballot
		n.callAll(call)
		n.asked(2)
	},
	func(n *network, call func(int) Call) { // the same with member 0's ballot, after votes
		n.until(call, Voted)
		n.asked(0)
	},
	func(n *network, call func(int) Call) { // in a view without member 3
		n.without(3, call, func() bool { return n.members[1].State() == Dealt })
	},
	func(n *network, call func(int) Call) { // finishes the attempt that a lost member has voted for
		n.carries = func(_, _ int, b Body) bool { _, vote := b.(*Done); return !vote }
		n.callAll(call)
		n.settle()
		n.kill(3)
		n.pass(20*time.Second, func() bool { return n.members[1].slot.ballots.finish != nil })
		n.members[3].dead = false
	},
	func(n *network, call func(int) Call) { // two slots behind
		n.cut = func(from, to int) bool { return from == 1 || to == 1 }
		for slot := range 2 {
			for _, s := range []int{0, 2, 3} {
				n.call(s, call(s))
			}
			n.settle()
			n.pass(time.Minute, func() bool {
				return len(n.members[0].log) > slot && len(n.members[2].log) > slot && len(n.members[3].log) > slot
			})
		}
	},
	func(n *network, call func(int) Call) { // in the second slot, able to help open the first
		n.callAll(call)
		n.settle()
		n.callAll(call)
	},
	func(n *network, call func(int) Call) { // restarted during the session
		n.callAll(call)
		n.deliverUntil(func() bool { return n.members[1].State() >= Session })
		n.kill(1)
		n.restart(1)
		n.call(1, call(1))
	},
	func(n *network, call func(int) Call) { // all have promised, and three request an amendment
		n.request(fuzzedAmendment, 0, 2, 3)
		n.callAll(call)
		n.asked(2)
	},
	func(n *network, call func(int) Call) { // lacks the amendment that the others have voted for
		n.request(fuzzedAmendment, 0, 2, 3)
		n.callAll(call)
		n.deliverUntil(func() bool { return n.members[1].State() == Fetching })
	},
}

// fuzzedAmendment adds a member that never comes.
var fuzzedAmendment = revision(1, nil, "new")

// until brings member 1 to a state by withholding the messages that would lead beyond it.
func (n *network) until(call func(int) Call, state State) {
	var held []delivery
	n.carries = func(from, to int, b Body) bool {
		withheld := false
		switch b.(type) {
		case *Seal:
			withheld = state == Sealing
		case *Done:
			withheld = state == Voted
		case *Pads:
			withheld = state == Opening
		}
		if withheld {
			held = append(held, delivery{from: from, to: to, msg: Message{Body: b}})
		}
		return !withheld
	}
	n.callAll(call)
	n.settle()
	n.flight, n.carries = held, nil
}

// asked lets a member prepare its ballot and receive promises from all, and holds back
// everything else.
func (n *network) asked(owner int) {
	held := n.flight
	var e Effects
	m := n.members[owner]
	n.flight = nil
	m.propose(&e)
	m.settle(&e)
	n.carryOut(owner, e)
	n.carries = func(from, to int, b Body) bool {
		switch b.(type) {
		case *Prepare, *Promise:
			return true
		}
		held = append(held, delivery{from: from, to: to, msg: Message{Ballot: m.slot.ballots.promised, Body: b}})
		return false
	}
	n.settle()
	n.flight, n.carries = held, nil
}

// without runs the slot without a member until a condition holds. The member is back afterwards.
func (n *network) without(lost int, call func(int) Call, is func() bool) {
	n.kill(lost)
	n.callAll(call)
	n.settle()
	for range 60 {
		n.now += 500 * time.Millisecond
		for s, m := range n.members {
			n.step(s, Tick{Learner: m.calls})
		}
		if n.deliverUntil(func() bool { return n.members[1].slot.ballots.promised > 0 && is() }) {
			break
		}
	}
	n.members[lost].dead = false
}

// A fuzzedRun is a run at a stage, to be copied.
type fuzzedRun struct {
	*network
	call     func(s int) Call
	votes    map[fuzzedVote]uint8
	promises map[uint32][]Promise
	signed   map[Vote][]SignedVote
}

// A fuzzedVote is a vote in a slot, and the set of ranks that cast it.
type fuzzedVote struct {
	slot uint64
	Vote
}

var fuzzedRuns = map[[2]int]*fuzzedRun{}

func runAt(t testing.TB, kind, stage int) *fuzzedRun {
	key := [2]int{kind, stage}
	if r := fuzzedRuns[key]; r != nil {
		return r
	}
	k := fuzzedKinds[kind]
	r := &fuzzedRun{network: signed(t, newNetwork(t, 4, k.settings)), call: k.call}
	r.votes, r.promises, r.signed = map[fuzzedVote]uint8{}, map[uint32][]Promise{}, map[Vote][]SignedVote{}
	r.watch = r.note
	fuzzedStages[stage](r.network, k.call)
	r.cut, r.carries, r.watch = nil, nil, nil
	fuzzedRuns[key] = r
	return r
}

func (r *fuzzedRun) note(s int, _ Event, e Effects) {
	for _, send := range e.Sends {
		switch b := send.Message.Body.(type) {
		case *Done:
			v := Vote{Ballot: send.Message.Ballot, Value: b.Value}
			if key := (fuzzedVote{send.Message.Slot, v}); r.votes[key]>>s&1 == 0 {
				r.votes[key] |= 1 << s
				r.signed[v] = append(r.signed[v], SignedVote{uint32(s), b.Signature})
			}
		case *Promise:
			r.promises[send.Message.Ballot] = append(r.promises[send.Message.Ballot], *b)
		}
	}
}

// copy returns a copy of the run with its own machines.
func (r *fuzzedRun) copy(t testing.TB) *fuzzedRun {
	n := *r.network
	n.t, n.members, n.flight = t, nil, slices.Clone(r.flight)
	for _, m := range r.members {
		c := *m
		c.Machine, c.log, c.disk = copyOf(m.Machine), slices.Clone(m.log), map[uint64]map[string][]byte{}
		n.members = append(n.members, &c)
	}
	c := &fuzzedRun{network: &n, call: r.call, votes: maps.Clone(r.votes), promises: map[uint32][]Promise{}, signed: map[Vote][]SignedVote{}}
	for b, p := range r.promises {
		c.promises[b] = slices.Clone(p)
	}
	for v, s := range r.signed {
		c.signed[v] = slices.Clone(s)
	}
	return c
}
