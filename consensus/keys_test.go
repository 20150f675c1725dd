package consensus

import (
	"bytes"
	"crypto/sha256"
	"slices"
	"testing"
)

// testKeys stands in for signatures: only the holder of a rank's key writes the right bytes.
type testKeys int

func (k testKeys) Sign(message []byte) []byte {
	d := sha256.Sum256(append([]byte{byte(k)}, message...))
	return d[:8]
}

func (k testKeys) Verify(member int, message, signature []byte) bool {
	return bytes.Equal(testKeys(member).Sign(message), signature)
}

func signed(t testing.TB, n *network) *network {
	t.Helper()
	n.signed = true
	for s, m := range n.members {
		var err error
		if m.Machine, err = New(n.params(s)); err != nil {
			t.Fatal(err)
		}
	}
	return n
}

// unpeered returns the digest of a machine without its knowledge about the other members, which
// any message changes.
func unpeered(m *Machine) [32]byte {
	peers := m.monitor.peers
	m.monitor.peers = nil
	defer func() { m.monitor.peers = peers }()
	return digestOf(m)
}

// at returns a signed network of four whose member 1 is at a stage of the first slot. Nothing
// is in flight; messages that have not reached it are held.
func at(t testing.TB, s Settings, stage string) *network {
	t.Helper()
	n := signed(t, newNetwork(t, 4, s))
	call := sumOf(1, powers(4), oneBlock)
	state := Idle
	withheld := func(Body) bool { return false }
	switch stage {
	case "idle":
		return n
	case "dealt", "gathering":
		if stage == "gathering" {
			call = gatherOf([][]byte{{0}, {1}, {2}, {3}})
		}
		n.call(1, call(1))
		n.flight = nil
		for _, s := range []int{0, 2, 3} {
			n.call(s, call(s))
		}
		n.hold()
		return n
	case "promised":
		n.call(1, call(1))
		n.receive(1, 0, Message{Ballot: 4, Body: &Prepare{}})
		n.flight = nil
		return n
	case "proposing":
		n.call(1, call(1))
		var e Effects
		n.members[1].propose(&e)
		n.members[1].settle(&e)
		n.flight = nil
		return n
	case "second": // a view without member 3
		promises := n.promises(4, 0, 1, 2)
		v := &View{Ballot: 4, Members: []uint32{0, 1, 2}, Missing: []Missing{{3, "lost"}}, Promises: promises}
		n.call(1, call(1))
		n.receive(1, 0, Message{Ballot: 4, Body: &Prepare{}})
		n.receive(1, 0, Message{Ballot: 4, Body: v})
		n.flight = nil
		if n.members[1].State() != Dealt || n.members[1].slot.ballots.promised != 4 {
			t.Fatal(n.describe())
		}
		return n
	case "session":
		state = Session
	case "sealing":
		state = Sealing
		withheld = func(b Body) bool { _, is := b.(*Seal); return is }
	case "voted":
		state = Voted
		withheld = func(b Body) bool { _, is := b.(*Done); return is }
	case "opening":
		state = Opening
		withheld = func(b Body) bool { _, is := b.(*Pads); return is }
	}
	n.carries = func(from, to int, b Body) bool {
		if to != 1 || !withheld(b) {
			return true
		}
		n.held = append(n.held, delivery{from: from, to: to, msg: Message{Body: b}})
		return false
	}
	n.callAll(call)
	if !n.deliverUntil(func() bool { return n.members[1].State() == state }) {
		t.Fatalf("%s: never reached\n%s", stage, n.describe())
	}
	n.carries = nil
	n.hold()
	return n
}

// hold takes all messages out of flight, and keeps those to member 1.
func (n *network) hold() {
	n.drop(func(d delivery) bool {
		if d.to == 1 {
			n.held = append(n.held, d)
		}
		return true
	})
}

// honest returns a held message with a kind of body, and a copy of the body that the caller may
// change.
func honest[B any](n *network) (from int, m Message, body *B) {
	n.t.Helper()
	for _, d := range n.held {
		if b, is := d.msg.Body.(any).(*B); is {
			c := *b
			m := d.msg
			m.Body = any(&c).(Body)
			return d.from, m, &c
		}
	}
	n.t.Fatalf("no %T is held", *new(B))
	return 0, Message{}, nil
}

// promises returns forged promises of a ballot by members. They leave out all others.
func (n *network) promises(ballot uint32, members ...int) (promises []Promise) {
	for _, s := range members {
		p := Promise{Member: uint32(s), Joins: true, Amends: n.members[s].requested()}
		for other := range n.members {
			if !slices.Contains(members, other) {
				p.Without = append(p.Without, uint32(other))
			}
		}
		p.Signature = testKeys(s).Sign(n.members[s].slot.ballots.promiseBytes(ballot, p))
		promises = append(promises, p)
	}
	return promises
}

// naming replaces the members to leave out in a promise, and signs it again.
func (n *network) naming(ballot uint32, p Promise, out ...uint32) Promise {
	p.Without = out
	p.Signature = testKeys(p.Member).Sign(n.members[p.Member].slot.ballots.promiseBytes(ballot, p))
	return p
}

// voting sets the vote in a promise, and signs it again.
func (n *network) voting(ballot uint32, p Promise, v Vote) Promise {
	p.Vote = &v
	p.Signature = testKeys(p.Member).Sign(n.members[p.Member].slot.ballots.promiseBytes(ballot, p))
	return p
}

// certificate returns a certificate with forged votes of members for a value.
func (n *network) certificate(slot uint64, ballot uint32, v Value, chain [32]byte, members ...int) *Certificate {
	c := &Certificate{Ballot: ballot, Value: v, Chain: chain}
	for _, s := range members {
		c.Votes = append(c.Votes, SignedVote{uint32(s), testKeys(s).Sign(voteBytes(n.members[s].p.Run, position{slot, chain}, ballot, v))})
	}
	return c
}

// Honest runs with signatures succeed.
func TestSignedRunsSucceed(t *testing.T) {
	bothSchemes(t, func(t *testing.T, s Settings) {
		n := signed(t, newNetwork(t, 5, s))
		xs := powers(5)
		n.callAll(sumOf(1, xs, oneBlock))
		n.deliver(20)
		n.isolate(0)
		if !n.learn([]func(int) Call{sumOf(1, xs, oneBlock), sumOf(2, xs, oneBlock)}, 1e12) {
			t.Fatal(n.describe())
		}
		n.checkLogs(xs, oneBlock)
	})
}
