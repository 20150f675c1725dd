package node

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/wire"
	"github.com/collabdict/collabdict/netsim"
	"github.com/collabdict/collabdict/node/internal/transport"
)

// A transcript has the decisions and messages of a run without faults, as far as the protocol
// fixes them. It leaves out
//
//   - heartbeats and the answers to them: repeated messages, and decisions for members that ask;
//   - the number of votes, from a quorum to all: a member that knows the decision no longer votes;
//   - signatures, which simulations do not have;
//   - sender and receiver of each message, which follow from labels, and so from the random values
//     of the first two slots;
//   - those random values.
type transcript struct {
	mu        sync.Mutex
	decisions []string                // one per slot
	messages  map[string]int          // number by slot, kind and size
	voters    map[uint64]map[int]bool // by slot
	seen      map[sent]bool
}

type sent struct {
	from, to int
	label    transport.Label
}

// nonceSlots are the Gathers that begin a run, whose blobs are random.
const nonceSlots = 2

var _ netsim.Observer = (*transcript)(nil)

func newTranscript() *transcript {
	return &transcript{messages: map[string]int{}, voters: map[uint64]map[int]bool{}, seen: map[sent]bool{}}
}

// Sent implements netsim.Observer.
func (r *transcript) Sent(from, to int, m consensus.Message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := sent{from, to, transport.LabelOf(m)}
	if m.Slot < nonceSlots || r.seen[s] {
		return
	}
	switch b := m.Body.(type) {
	case *consensus.Heartbeat, *consensus.Commit, *consensus.Seal, *consensus.Shares, *consensus.Decided:
		return // Seals are answers if sums are exact; Shares are not needed if nobody is lost
	case *consensus.Pads:
		if len(b.Pads) != 1 || int(b.Pads[0].Member) != from {
			return
		}
	case *consensus.Done:
		r.vote(from, m, *b)
		return
	}
	r.seen[s] = true
	r.messages[nameOf(m)]++
}

func nameOf(m consensus.Message) string {
	return fmt.Sprintf("slot %d, ballot %d: %T of %d bytes", m.Slot, m.Ballot, m.Body, wire.Size(m))
}

// vote records a vote and its voter.
func (r *transcript) vote(from int, m consensus.Message, d consensus.Done) {
	d.Signature = nil
	m.Body = &d
	r.messages[nameOf(m)] = 1
	if r.voters[m.Slot] == nil {
		r.voters[m.Slot] = map[int]bool{}
	}
	r.voters[m.Slot][from] = true
}

// Called implements netsim.Observer.
func (r *transcript) Called(int, uint64, consensus.Call) {}

// Decided implements netsim.Observer. All members decide the same.
func (r *transcript) Decided(member int, d *consensus.Decision, _ []float64) {
	line := fmt.Sprintf("slot %d: %s of round %d, attempt %d, members %v, missing %v, session of %d rounds", d.Slot, d.Kind, d.Round, d.Attempt, d.Members, d.Missing, d.Cost.Rounds)
	if d.Slot >= nonceSlots {
		line += fmt.Sprintf(", digest %x, blobs %x, total", d.Digest, d.Blobs)
		for _, v := range d.Total {
			line += fmt.Sprintf(" %016x", math.Float64bits(v))
		}
	}
	switch {
	case d.Slot == uint64(len(r.decisions)):
		r.decisions = append(r.decisions, line)
	case r.decisions[d.Slot] != line:
		r.decisions[d.Slot] += fmt.Sprintf("\nat member %d %s", member, line)
	}
}

// tap records what a node's machine sends from now on.
func (r *transcript) tap(t *testing.T, n *Node) {
	t.Helper()
	if err := n.loop.do(t.Context(), func() error {
		n.loop.network = tapped{n.loop.network, r, n}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// tapped is a network whose messages a transcript records.
type tapped struct {
	carrier
	r *transcript
	n *Node
}

func (c tapped) Send(to int, m consensus.Message) {
	c.r.Sent(c.n.self, to, m)
	c.carrier.Send(to, m)
}

func (c tapped) Publish(m consensus.Message) {
	for to := range c.n.Members() {
		if to != c.n.self {
			c.r.Sent(c.n.self, to, m)
		}
	}
	c.carrier.Publish(m)
}

// compare reports the differences between a run and the simulation.
func (r *transcript) compare(t *testing.T, want *transcript, quorum int) {
	t.Helper()
	if len(r.decisions) != len(want.decisions) {
		t.Errorf("%d slots are decided, in the simulation %d", len(r.decisions), len(want.decisions))
	}
	for slot, d := range r.decisions[:min(len(r.decisions), len(want.decisions))] {
		if d != want.decisions[slot] {
			t.Errorf("decided\n%s\nin the simulation\n%s", d, want.decisions[slot])
		}
	}
	both := maps.Clone(want.messages)
	maps.Copy(both, r.messages)
	for _, m := range slices.Sorted(maps.Keys(both)) {
		if r.messages[m] != want.messages[m] {
			t.Errorf("%s: sent %d times, in the simulation %d times", m, r.messages[m], want.messages[m])
		}
	}
	for slot := nonceSlots; slot < len(r.decisions); slot++ {
		if v, w := len(r.voters[uint64(slot)]), len(want.voters[uint64(slot)]); min(v, w) < quorum {
			t.Errorf("slot %d: %d have voted, in the simulation %d, want at least %d", slot, v, w, quorum)
		}
	}
}
