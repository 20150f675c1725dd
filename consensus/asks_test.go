package consensus

import (
	"slices"
	"testing"
	"time"

	"github.com/collabdict/collabdict/chunking"
)

// A member in a session asks for the result after two heartbeats without progress, and then
// every two heartbeats. It does not ask while the session makes progress.
func TestSessionsThatProgressAskForNothing(t *testing.T) {
	n := newNetwork(t, 5, Settings{Scheme: Exact, Protect: chunking.Chunks})
	var asked []time.Duration
	n.carries = func(from, to int, body Body) bool {
		if b, beat := body.(*Heartbeat); beat && from == 0 && to == 1 && b.Ask > 0 {
			asked = append(asked, n.now)
		}
		_, frame := body.(*Step)
		return !frame
	}
	n.now = time.Minute
	for s := range n.members {
		n.call(s, sumOf(1, powers(5), oneBlock)(s))
	}
	n.settle()
	if state := n.members[0].State(); state != Session {
		t.Fatalf("member 0 is %s", state)
	}
	n.pass(6*time.Second, nil) // it sends heartbeats at half seconds
	if want := []time.Duration{62500 * time.Millisecond, 64500 * time.Millisecond}; !slices.Equal(asked, want) {
		t.Errorf("asked at %v, want %v", asked, want)
	}
}

// A member that has voted and hears no votes gets the certificate, but not the vector that it
// already has.
func TestVotersAreNotSentTheResult(t *testing.T) {
	bothSchemes(t, func(t *testing.T, s Settings) {
		n := newNetwork(t, 4, s)
		seals := 0
		n.carries = func(_, to int, body Body) bool {
			if _, seal := body.(*Seal); seal && to == 3 && n.members[3].State() != Sealing {
				seals++
			}
			_, vote := body.(*Done)
			return !vote || to != 3
		}
		n.play(sumOf(1, powers(4), oneBlock))
		if n.checkDecisions(); len(n.members[3].log) != 1 || seals > 0 {
			t.Errorf("%d slots decided after %d results, want 1 after none", len(n.members[3].log), seals)
		}
	})
}

// A member that hears from several members ahead of it asks one of them.
func TestOneMemberAheadIsAsked(t *testing.T) {
	bothSchemes(t, func(t *testing.T, s Settings) {
		n := newNetwork(t, 5, s)
		n.now = time.Minute
		m, asked := n.members[0], 0
		for from := 1; from < 5; from++ {
			e := m.Step(n.now, received(t, from, Message{Slot: 1, Body: &Seeds{Header: Header{Kind: Sum}}}))
			asked += len(e.Sends)
		}
		if asked != 1 {
			t.Errorf("asked %d members, want 1", asked)
		}
	})
}
