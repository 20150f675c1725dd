package consensus

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// castBy returns a member's correctly signed vote for a value on a chain.
func (n *network) castBy(member int, slot uint64, v Value, chain [32]byte) *Done {
	d := &Done{Value: v, Chain: chain}
	d.Signature = testKeys(member).Sign(voteBytes(n.members[member].p.Run, position{slot, chain}, 0, v))
	return d
}

// decided returns a signed run of four members that have decided its first slot.
func decided(t *testing.T) *network {
	t.Helper()
	n := signed(t, newNetwork(t, 4, exact))
	n.mustLearn([]func(int) Call{sumOf(1, powers(4), oneBlock)})
	n.flight = nil
	return n
}

// checkEvidence asserts that member 1 has ended with an error that names another member, and
// that its evidence is valid: all votes are signed, and each of the given members has signed
// two of them.
func checkEvidence(t *testing.T, n *network, named int, twoFaced ...uint32) *Evidence {
	t.Helper()
	err, ok := as[*MemberError](n.members[1].err)
	if !ok || err.Member != named || err.Evidence == nil {
		t.Fatalf("ended with %v, want an error of m%d with evidence", n.members[1].err, named)
	}
	if !strings.HasPrefix(err.Error(), fmt.Sprintf("m%d ", named)) {
		t.Errorf("the error is %q", err)
	}
	e := err.Evidence
	for _, v := range e.Votes {
		if !testKeys(0).Verify(int(v.Member), v.Signed(e.Run), v.Signature) {
			t.Errorf("the vote of m%d in slot %d is not its own", v.Member, v.Slot)
		}
	}
	if int(e.Votes[0].Member) != named {
		t.Errorf("the first vote is that of m%d", e.Votes[0].Member)
	}
	var got []uint32
	for _, pair := range TwoFaced(e.Votes) {
		got = append(got, pair[0].Member)
	}
	if !slices.Equal(got, twoFaced) {
		t.Errorf("the votes are of two minds for %v, want %v", got, twoFaced)
	}
	return e
}

// A member that signs two results in one ballot is named by every member that sees both votes,
// even one that has not voted. That member keeps both votes.
func TestTwoVotesInOneBallotAreEvidence(t *testing.T) {
	one, other := Value{Digest: [32]byte{1}}, Value{Digest: [32]byte{2}}
	for _, stage := range []string{"idle", "dealt", "session"} {
		n := at(t, exact, stage)
		n.receive(1, 2, Message{Body: n.castBy(2, 0, one, [32]byte{})})
		n.receive(1, 3, Message{Body: n.castBy(3, 0, other, [32]byte{})})
		if err := n.members[1].err; err != nil {
			t.Fatalf("%s: ended with %v, though each member has voted once", stage, err)
		}
		forged := n.castBy(2, 0, other, [32]byte{})
		forged.Signature = testKeys(3).Sign(nil)
		n.receive(1, 2, Message{Body: forged})
		if err := n.members[1].err; err != nil {
			t.Fatalf("%s: ended with %v for a vote that nobody has signed", stage, err)
		}
		n.receive(1, 2, Message{Body: n.castBy(2, 0, other, [32]byte{})})
		checkEvidence(t, n, 2, 2)
	}
}

// A contradicting vote after the decision is evidence, too, alone or with the votes for another
// decision.
func TestAnotherVoteAfterTheDecisionIsEvidence(t *testing.T) {
	other := Value{Digest: [32]byte{2}}
	n := decided(t)
	n.receive(1, 2, Message{Body: n.castBy(2, 0, other, [32]byte{})})
	checkEvidence(t, n, 2, 2)

	n = decided(t)
	votes := n.members[1].certified.Votes
	if len(votes) < 3 {
		t.Fatalf("want the votes of a quorum of 3, got %d", len(votes))
	}
	c := n.certificate(0, 0, other, [32]byte{}, 2, 3)
	c.Votes[1].Signature = nil // the vote of m3 is forged
	n.receive(1, 0, Message{Body: &Commit{c}})
	checkEvidence(t, n, 2, 2)

	n = at(t, exact, "opening")
	n.receive(1, 2, Message{Body: n.castBy(2, 0, other, [32]byte{})})
	checkEvidence(t, n, 2, 2)
}

// A vote on another chain is kept together with the votes on which this member's chain is based.
// Alone they do not prove which member was at fault in the slot before. Together with those of
// the other side they prove which members voted for both decisions.
func TestAVoteOnAnotherChainIsEvidence(t *testing.T) {
	n := decided(t)
	here := n.members[1].certified
	n.receive(1, 3, Message{Slot: 1, Body: n.castBy(3, 1, Value{Digest: [32]byte{4}}, [32]byte{5})})
	own := checkEvidence(t, n, 3)
	if len(own.Votes) != 1+len(here.Votes) {
		t.Errorf("got %d votes, want that of m3 and those of a quorum", len(own.Votes))
	}
	told := false
	for _, d := range n.flight {
		c, is := d.msg.Body.(*Commit)
		told = told || is && d.msg.Slot == 0 && c.Certificate == here
	}
	if !told {
		t.Error("the others do not receive the votes of the slot before")
	}
	there := votesOf(0, n.certificate(0, 0, Value{Digest: [32]byte{6}}, [32]byte{}, 0, 3))
	var both, want []uint32
	for _, pair := range TwoFaced(append(slices.Clone(own.Votes), there...)) {
		both = append(both, pair[0].Member)
	}
	for _, v := range here.Votes {
		if v.Member == 0 || v.Member == 3 {
			want = append(want, v.Member)
		}
	}
	if len(want) == 0 || !slices.Equal(both, want) {
		t.Errorf("of two minds are %v, want %v", both, want)
	}
}

// A member that has restarted still has the votes of the slot before.
func TestEvidenceAfterARestart(t *testing.T) {
	n := decided(t)
	n.kill(1)
	n.restart(1)
	n.receive(1, 2, Message{Body: n.castBy(2, 0, Value{Digest: [32]byte{2}}, [32]byte{})})
	checkEvidence(t, n, 2, 2)
}

// A member gets both contradicting votes from the Leave of another member, and passes them on
// in its own.
func TestALeaveHasTheEvidence(t *testing.T) {
	n := at(t, exact, "session")
	for _, v := range []Value{{Digest: [32]byte{1}}, {Digest: [32]byte{2}}} {
		n.receive(0, 2, Message{Body: n.castBy(2, 0, v, [32]byte{})})
	}
	if n.members[0].err == nil {
		t.Fatal("two votes of a member went unnoticed")
	}
	for _, from := range []int{0, 3} {
		to := 3 - 2*from/3 // 0 sends to 3, 3 sends to 1
		for _, d := range slices.Clone(n.flight) {
			if _, leaves := d.msg.Body.(*Leave); leaves && d.from == from && d.to == to {
				n.receive(to, from, d.msg)
			}
		}
	}
	checkEvidence(t, n, 2, 2)
}

// Votes in a Leave prove nothing unless one member has signed both.
func TestALeaveProvesNothingWrong(t *testing.T) {
	one, other := Value{Digest: [32]byte{1}}, Value{Digest: [32]byte{2}}
	vote := func(n *network, member int, v Value) CastVote {
		d := n.castBy(member, 0, v, [32]byte{})
		return CastVote{Member: uint32(member), Vote: Vote{Value: v}, Signature: d.Signature}
	}
	for name, votes := range map[string]func(n *network) []CastVote{
		"the same twice": func(n *network) []CastVote { return []CastVote{vote(n, 2, one), vote(n, 2, one)} },
		"of two members": func(n *network) []CastVote { return []CastVote{vote(n, 2, one), vote(n, 3, other)} },
		"in two ballots": func(n *network) []CastVote {
			v := vote(n, 2, other)
			v.Vote.Ballot = 4
			return []CastVote{vote(n, 2, one), v}
		},
		"signed by another": func(n *network) []CastVote {
			v := vote(n, 3, other)
			v.Member = 2
			return []CastVote{vote(n, 2, one), v}
		},
		"the first is not signed": func(n *network) []CastVote {
			v := vote(n, 2, one)
			v.Signature = nil
			return []CastVote{v, vote(n, 2, other)}
		},
	} {
		n := at(t, exact, "session")
		n.receive(1, 0, Message{Body: &Leave{Reason: "it has seen two votes", Blame: []uint32{2}, Returns: true, Votes: votes(n)}})
		if err := n.members[1].err; err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
