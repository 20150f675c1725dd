package consensus

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus/session"
	_ "github.com/collabdict/collabdict/internal/testkit" // fixed draws
	"pgregory.net/rapid"
)

// If the carrier loses, doubles and reorders messages, a slot still ends with the right total:
// heartbeats make members repeat what is missing.
func TestSlotsSurviveABadCarrier(t *testing.T) {
	for _, s := range []Settings{settings(session.Chebyshev, chunking.Chunks), {Scheme: Exact, Protect: chunking.Chunks}} {
		t.Run(string(s.Scheme), func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				size := rapid.IntRange(3, 9).Draw(rt, "size")
				seed := rapid.Uint64().Draw(rt, "seed")
				n := newNetwork(t, size, s)
				n.rng = rand.New(rand.NewPCG(seed, 2))
				n.loss = rapid.Float64Range(0, 0.1).Draw(rt, "loss")
				for round := range uint32(2) {
					xs := vectors(n.rng, size, testBlocks)
					n.play(sumOf(round, xs, testBlocks))
					checkTotal(t, n.checkDecisions(), xs, testBlocks, 1e-6)
					n.play(gatherOf(make([][]byte, size)))
					n.checkDecisions()
				}
			})
		})
	}
}

// stoppedAfter returns a network whose member 3 has stopped in the first sum after the given
// number of messages. The others had time to continue.
func stoppedAfter(t *testing.T, s Settings, xs [][]float64, after int) *network {
	n := newNetwork(t, len(xs), s)
	n.callAll(sumOf(1, xs, testBlocks))
	n.deliver(after)
	n.kill(3)
	n.settle()
	n.pass(time.Minute, n.over(1))
	return n
}

// A member that stops at any point of a slot is left out of it, or counts although it is lost.
// The others continue.
func TestTheOthersContinueWithoutALostMember(t *testing.T) {
	const size = 5
	for _, s := range []Settings{settings(session.Chebyshev, chunking.Chunks), {Scheme: Exact, Protect: chunking.Chunks}} {
		counted := 0
		for after := range 60 {
			rng := rand.New(rand.NewPCG(1, 1))
			xs := vectors(rng, size, testBlocks)
			n := stoppedAfter(t, s, xs, after)
			d := n.checkDecisions()
			if d == nil {
				t.Fatalf("after %d messages: %s", after, n.describe())
			}
			checkTotal(t, d, xs, testBlocks, 1e-6)
			if len(d.Members) == size {
				counted++
			} else if got := n.missingOf(d); len(d.Members) != size-1 || got[:3] != "m3:" {
				t.Errorf("after %d messages: %v, missing %s", after, d.Members, got)
			}
			xs = vectors(rng, size, testBlocks)
			n.play(sumOf(2, xs, testBlocks))
			d = n.checkDecisions()
			checkTotal(t, d, xs, testBlocks, 1e-6)
			if len(d.Members) != size-1 {
				t.Errorf("after %d messages: then %v", after, d.Members)
			}
		}
		if counted == 0 {
			t.Error("the lost member never counted: its pad was never put together")
		}
	}
}

// A member that comes back catches up and joins with the next round.
func TestAMemberComesBack(t *testing.T) {
	const size = 5
	for _, s := range []Settings{settings(session.Chebyshev, chunking.Chunks), {Scheme: Exact, Protect: chunking.Chunks}} {
		for after := range 60 {
			rng := rand.New(rand.NewPCG(1, 1))
			xs := vectors(rng, size, testBlocks)
			n := stoppedAfter(t, s, xs, after)
			n.play(sumOf(1, xs, testBlocks))
			n.play(sumOf(2, xs, testBlocks))
			n.restart(3)
			n.pass(20*time.Second, nil)
			for range 3 {
				n.call(3, sumOf(1, xs, testBlocks)(3))
			}
			n.pass(3*time.Second, nil)
			n.play(sumOf(3, xs, testBlocks))
			d := n.checkDecisions()
			checkTotal(t, d, xs, testBlocks, 1e-6)
			if len(d.Members) != size {
				t.Errorf("after %d messages: %v, missing %s", after, d.Members, n.missingOf(d))
			}
		}
	}
}

var _ = fmt.Sprint
