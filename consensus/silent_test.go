package consensus

import (
	"strings"
	"testing"
	"time"
)

// A silent member is left out of a ballot that another's return has caused, before it counts as
// lost. The record gives its silence as the reason, and the following rounds do not wait for
// it.
func TestASilentMemberIsNotInvited(t *testing.T) {
	bothSchemes(t, func(t *testing.T, s Settings) {
		const size, returns, silent = 7, 4, 0
		n := newNetwork(t, size, s)
		xs := randomVectors(5, size)
		for round := range uint32(3) {
			n.pass(4*time.Second, nil)
			n.play(sumOf(round, xs, testBlocks))
		}
		n.kill(silent)
		n.callAll(sumOf(3, xs, testBlocks))
		n.pass(time.Second, nil)
		n.kill(returns)
		n.restart(returns)
		for range 4 {
			n.call(returns, sumOf(3, xs, testBlocks)(returns))
		}
		n.settle()
		for round := uint32(3); round < 8; round++ {
			began := n.now
			if round > 3 {
				n.callAll(sumOf(round, xs, testBlocks))
				n.settle()
			}
			n.pass(time.Minute, n.over(int(round)+1))
			d := n.checkDecisions()
			checkTotal(t, d, xs, testBlocks, 1e-6)
			if got := n.missingOf(d); !strings.HasPrefix(got, "m0: nothing heard for ") || len(d.Missing) > 1 {
				t.Errorf("round %d: missing %s", round, got)
			}
			if took := n.now - began; round > 3 && took > time.Second {
				t.Errorf("round %d took %s, in ballot %d", round, took, d.Certificate.Ballot)
			}
		}
	})
}

// A member that has come back is let in without waiting for another that is away and silent.
func TestASilentMemberDoesNotHoldUpAnother(t *testing.T) {
	bothSchemes(t, func(t *testing.T, s Settings) {
		const size, outside, returns, silent = 7, 5, 4, 6
		n := newNetwork(t, size, s)
		xs := randomVectors(5, size)
		n.play(sumOf(0, xs, testBlocks))
		n.kill(outside)
		n.play(sumOf(1, xs, testBlocks))
		n.pass(4*time.Second, nil)
		n.kill(silent)
		n.callAll(sumOf(2, xs, testBlocks))
		n.pass(time.Second, nil)
		n.kill(returns)
		n.restart(returns)
		for range 3 {
			n.call(returns, sumOf(2, xs, testBlocks)(returns))
		}
		n.settle()
		log := func() []*Decision { return n.members[0].log }
		n.pass(time.Minute, func() bool { return len(log()) > 2 })
		n.restart(outside)
		n.catchUp(outside, sumOf(2, xs, testBlocks))
		if d := log()[2]; len(d.Members) != size-2 || n.members[0].monitor.lost(n.now, silent) {
			t.Fatalf("missing %s; lost: %v", n.missingOf(d), n.members[0].monitor.lost(n.now, silent))
		}
		for round := uint32(3); len(log()[round-1].Members) < size-1; round++ {
			began := n.now
			n.play(sumOf(round, xs, testBlocks))
			if took := n.now - began; took > time.Second || round > 5 {
				t.Fatalf("round %d took %s, in ballot %d", round, took, log()[round].Certificate.Ballot)
			}
		}
	})
}

// A member that has come back and missed the ballot that would let it in hears of it after its
// next heartbeat.
func TestALostInvitationIsRepeated(t *testing.T) {
	bothSchemes(t, func(t *testing.T, s Settings) {
		const size, returns = 7, 5
		n := newNetwork(t, size, s)
		xs := randomVectors(5, size)
		n.play(sumOf(0, xs, testBlocks))
		n.kill(returns)
		n.play(sumOf(1, xs, testBlocks))
		n.restart(returns)
		n.catchUp(returns, sumOf(1, xs, testBlocks))
		n.pass(3*time.Second, nil)
		lost := 0
		n.carries = func(_, to int, b Body) bool {
			_, invites := b.(*Prepare)
			if invites && to == returns {
				lost++
			}
			return !invites || to != returns || lost > 1
		}
		n.callAll(sumOf(2, xs, testBlocks))
		n.settle()
		n.pass(1500*time.Millisecond, n.over(3))
		if d := n.checkDecisions(); lost < 2 || len(n.members[0].log) < 3 || len(d.Members) < size {
			t.Fatalf("%d invitations, %d slots decided\n%s", lost, len(n.members[0].log), n.describe())
		}
	})
}
