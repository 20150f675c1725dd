package consensus

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus/session"
)

// In the first round that takes time, a member's time is compared with that of the others,
// since start-up shows nothing about it. A member that takes twice as long is waited for; one
// that takes much longer is not.
func TestPatienceFollowsTheRound(t *testing.T) {
	const size, slow, last = 5, 3, StartRounds + 4
	for factor, want := range map[int]int{2: size, 12: size - 1} {
		n := newNetwork(t, size, settings(session.Chebyshev, chunking.Chunks))
		xs := vectors(rand.New(rand.NewPCG(1, 1)), size, testBlocks)
		for round := range uint32(3) { // start-up, without a pause
			n.play(sumOf(StartRounds+1+round, xs, testBlocks))
			n.pass(2*time.Second, nil)
		}
		const usual = 60 * time.Second
		n.pass(usual, nil)
		for s := range size {
			if s != slow {
				n.call(s, sumOf(last, xs, testBlocks)(s))
			}
		}
		n.settle()
		n.pass(time.Duration(factor-1)*usual, n.over(4))
		if n.members[0].answered() < 4 {
			n.call(slow, sumOf(last, xs, testBlocks)(slow))
			n.settle()
		}
		if d := n.members[0].log[len(n.members[0].log)-1]; d.Round != last || len(d.Members) != want {
			t.Errorf("%d times as long as the others: %d members are in the sum of round %d (missing: %q), want %d in that of round %d", factor, len(d.Members), d.Round, n.missingOf(d), want, last)
		}
	}
}

func TestHowLongIsWaited(t *testing.T) {
	const every = time.Second
	for _, c := range []struct{ own, others, want time.Duration }{
		{0, 0, 0},                                         // nothing measured: nobody is slow
		{time.Second, 0, 20 * time.Second},                // at least 20 heartbeats
		{10 * time.Second, 0, 30 * time.Second},           // three times the usual
		{time.Second, time.Minute, 3 * time.Minute},       // a round that takes longer for all
		{time.Hour, time.Minute, 3 * time.Hour},           // many rows
		{0, 10 * time.Second, 5 * time.Minute},            // a newcomer
		{0, time.Millisecond, 20 * time.Second},           // 20 heartbeats again
		{1000 * time.Hour, time.Second, 3000 * time.Hour}, // no upper bound: an update may take days
	} {
		if got := slowAfter(c.own, c.others, 3, slowLeast, every); got != c.want {
			t.Errorf("own %s, others' %s: slow after %s, want %s", c.own, c.others, got, c.want)
		}
	}
	if got := slowAfter(time.Second, time.Second, 3, slowEarly, every); got != slowEarly*every {
		t.Errorf("in the start: slow after %s, want %s", got, slowEarly*every)
	}
	for _, c := range []struct {
		f           func(usual, every time.Duration) time.Duration
		usual, want time.Duration
	}{
		{lostAfter, 0, 8 * time.Second},
		{lostAfter, 20 * time.Second, 20 * time.Second},
		{lostAfter, time.Hour, 2 * time.Minute},
		{stallAfter, 0, 20 * time.Second},
		{stallAfter, time.Minute, 5 * time.Minute},
		{stallAfter, time.Hour, 10 * time.Minute},
	} {
		if got := c.f(c.usual, every); got != c.want {
			t.Errorf("usual %s: got %s, want %s", c.usual, got, c.want)
		}
	}
}

// Updates without a pass over the rows, which take no time, do not make the next one with a pass slow.
func TestTheUsualTimeIsThatOfTheLongest(t *testing.T) {
	var p pace
	now := time.Duration(0)
	for i := range 2 * paceLength {
		p.began(now)
		now += time.Minute * time.Duration(i%5/4) // every fifth has a pass
		p.ended(now)
	}
	if p.usual() != time.Minute {
		t.Errorf("got %s, want %s", p.usual(), time.Minute)
	}
}
