package consensus

import (
	"math"
	"testing"

	"github.com/collabdict/collabdict/chunking"
)

// An ignored is a message that must change nothing at member 1, at a stage of its slot.
type ignored struct {
	name  string
	stage string
	from  int
	msg   func(n *network) Message
}

func says(ballot uint32, b Body) func(*network) Message {
	return func(*network) Message { return Message{Ballot: ballot, Body: b} }
}

func (c ignored) check(t *testing.T, s Settings) {
	t.Helper()
	n := at(t, s, c.stage)
	msg := c.msg(n)
	before := unpeered(n.members[1].Machine)
	n.receive(1, c.from, msg)
	m := n.members[1]
	switch {
	case m.err != nil:
		t.Errorf("%s, %s: ended with %v", c.stage, c.name, m.err)
	case unpeered(m.Machine) != before:
		t.Errorf("%s, %s: has changed its state", c.stage, c.name)
	case len(n.flight) > 0:
		t.Errorf("%s, %s: answers %s", c.stage, c.name, describeBody(n.flight[0].msg))
	}
}

func TestMessagesThatChangeNothing(t *testing.T) {
	seeds := func(n *network) *Seeds { // Seeds as member 0 would send them
		m := n.members[1]
		a := m.slot.attempts[m.slot.ballots.promised]
		return &Seeds{Header: m.slot.call.header, View: a.seats().digest, Share: &chunking.Share{X: 1}}
	}
	for _, c := range []ignored{
		{"from itself", "dealt", 1, says(0, &Leave{})},
		{"from nobody", "dealt", 4, says(0, &Leave{})},
		{"from less than nobody", "dealt", -1, says(0, &Done{})},
		{"seeds of a ballot that is left", "second", 0, says(0, &Seeds{Header: Header{Kind: Sum}})},
		{"seeds of a ballot that is left", "promised", 0, says(0, &Seeds{Header: Header{Kind: Sum}})},
		{"seeds by one who is not in the view", "second", 3, func(n *network) Message { return Message{Ballot: 4, Body: seeds(n)} }},
		{"a blob by one who is not in the view", "second", 3, says(4, &Blob{Header: Header{Kind: Gather}})},
		{"seeds in the session", "session", 0, says(0, &Seeds{Header: Header{Kind: Sum}})},
		{"seeds after the vote", "voted", 0, says(0, &Seeds{Header: Header{Kind: Sum}})},
		{"seeds after the decision", "opening", 0, says(0, &Seeds{Header: Header{Kind: Sum}})},
		{"seeds of an earlier slot", "dealt", 0, func(n *network) Message { return Message{Slot: math.MaxUint64, Body: seeds(n)} }},
		{"a frame of a ballot that is left", "second", 0, says(0, &Step{Words: []uint64{1}})},
		{"a frame of a ballot to come", "session", 0, says(9, &Step{Words: []uint64{1}})},
		{"a frame by one who is not in the view", "second", 3, says(4, &Step{Words: []uint64{1}})},
		{"a frame after the vote", "voted", 0, says(0, &Step{Lane: 77})},
		{"a frame after the decision", "opening", 0, says(0, &Step{Lane: 77})},
		{"a seal of a ballot that is left", "second", 0, says(0, &Seal{&Sealed{Header: Header{Kind: Sum}}})},
		{"a seal of the ballot to come", "dealt", 0, says(7, &Seal{&Sealed{Attempt: 7, Header: Header{Kind: Sum}}})},
		{"a seal after the vote", "opening", 0, says(0, &Seal{&Sealed{Header: Header{Kind: Sum}}})},
		{"a ballot that nobody comes to", "dealt", 3, says(math.MaxUint32, &Prepare{})},
		{"a ballot that nobody comes to", "dealt", 0, says(math.MaxUint32-3, &Prepare{})},
		{"ballot 0", "dealt", 0, says(0, &Prepare{})},
		{"a foreign ballot", "dealt", 0, says(3, &Prepare{})},
		{"its own ballot", "dealt", 0, says(1, &Prepare{})},
		{"a lower ballot", "promised", 3, says(3, &Prepare{})},
		{"a ballot after the decision", "opening", 0, says(8, &Prepare{})},
		{"a promise to nobody", "dealt", 0, func(n *network) Message { return Message{Ballot: 1, Body: &n.promises(1, 0)[0]} }},
		{"a promise of another ballot", "proposing", 0, func(n *network) Message { return Message{Ballot: 5, Body: &n.promises(5, 0)[0]} }},
		{"a promise of another member", "proposing", 0, func(n *network) Message { return Message{Ballot: 1, Body: &n.promises(1, 2)[0]} }},
		{"a forged promise", "proposing", 0, func(n *network) Message {
			p := n.promises(1, 0)[0]
			p.Joins = false
			return Message{Ballot: 1, Body: &p}
		}},
		{"a promise on another chain", "proposing", 0, func(n *network) Message {
			p := Promise{Chain: [32]byte{1}}
			p.Signature = testKeys(0).Sign(n.members[0].slot.ballots.promiseBytes(1, p))
			return Message{Ballot: 1, Body: &p}
		}},
		{"a promise with a vote from above", "proposing", 0, func(n *network) Message {
			p := n.voting(1, n.promises(1, 0)[0], Vote{Ballot: 1})
			return Message{Ballot: 1, Body: &p}
		}},
		{"a promise with a vote for an attempt from above", "proposing", 0, func(n *network) Message {
			p := n.voting(1, n.promises(1, 0)[0], Vote{Value: Value{Attempt: 1}})
			return Message{Ballot: 1, Body: &p}
		}},
		{"busy", "proposing", 0, says(1, &Busy{Working: 9})},
		{"a second vote", "voted", 0, func(n *network) Message {
			m := n.members[1]
			n.receive(1, 0, Message{Body: n.vote(0, 0, m.slot.ballots.vote.Value)})
			n.flight = nil
			return Message{Body: n.vote(0, 0, m.slot.ballots.vote.Value)}
		}},
		{"a vote for an attempt from above", "voted", 0, func(n *network) Message { return Message{Body: n.vote(0, 0, Value{Attempt: 1})} }},
		{"a forged vote", "voted", 0, func(n *network) Message {
			return Message{Body: n.vote(2, 0, n.members[1].slot.ballots.vote.Value)}
		}},
		{"a vote of another ballot, signed for this", "voted", 0, func(n *network) Message {
			return Message{Body: n.vote(0, 4, n.members[1].slot.ballots.vote.Value)}
		}},
		{"a vote after the decision", "opening", 0, func(n *network) Message { return Message{Ballot: 4, Body: n.vote(0, 4, Value{})} }},
		{"pads of another attempt", "opening", 0, says(4, &Pads{[]Pad{{Member: 0}}})},
		{"pads of nobody", "opening", 0, says(0, &Pads{[]Pad{{Member: 99}, {Member: mostRanks - 1}}})},
		{"a pad that was not committed to", "opening", 0, says(0, &Pads{[]Pad{{Member: 0, Seed: [32]byte{5}}}})},
		{"shares of another attempt", "opening", 0, says(4, &Shares{[]PadShare{{Member: 0, Share: chunking.Share{X: 1}}}})},
		{"shares of nobody", "opening", 0, says(0, &Shares{[]PadShare{{Member: 99, Share: chunking.Share{X: 1}}, {Member: mostRanks - 1, Share: chunking.Share{X: 1}}}})},
		{"a beat of nonsense", "opening", 0, says(0, &Heartbeat{State: Failed, Waiting: []uint32{9, mostRanks - 1}, Suspects: []uint32{77}, Ask: mostRanks})},
		{"a beat of nonsense", "dealt", 0, says(9, &Heartbeat{State: Fetching, Promised: math.MaxUint32, Viewed: 9, Waiting: []uint32{9, mostRanks - 1}, Round: 99})},
	} {
		for _, s := range []Settings{exact, floating} {
			if s.Scheme == Exact && c.stage == "sealing" {
				continue // nobody waits for a Seal
			}
			c.check(t, s)
		}
	}
}

func (n *network) vote(member int, ballot uint32, v Value) *Done {
	return &Done{Value: v, Signature: testKeys(member).Sign(voteBytes(n.members[member].p.Run, position{0, [32]byte{}}, ballot, v))}
}

// Messages of past slots change nothing, whatever their kind.
func TestMessagesOfEarlierSlotsChangeNothing(t *testing.T) {
	bothSchemes(t, func(t *testing.T, s Settings) {
		n := newNetwork(t, 4, s)
		xs := powers(4)
		var old []delivery
		n.carries = func(from, to int, b Body) bool {
			if to == 1 {
				old = append(old, delivery{from: from, to: to, msg: Message{Body: b}})
			}
			return true
		}
		n.play(sumOf(1, xs, oneBlock))
		n.carries = nil
		n.call(1, sumOf(1, xs, oneBlock)(1))
		n.flight = nil
		before := unpeered(n.members[1].Machine)
		for _, d := range old {
			n.receive(1, d.from, d.msg)
			if unpeered(n.members[1].Machine) != before || len(n.flight) > 0 {
				t.Fatalf("%s of the slot before has changed something", describeBody(d.msg))
			}
		}
		if len(old) < 10 {
			t.Errorf("only %d messages", len(old))
		}
	})
}
