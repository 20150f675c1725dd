package netsim

import (
	"testing"
	"time"

	"github.com/collabdict/collabdict/consensus"
)

// replayer repeats every message of a slot in the next two slots, like a network that keeps
// messages.
type replayer struct {
	n    *network
	seen map[uint64][]event
	sent int
}

func (r *replayer) Called(int, uint64, consensus.Call) {}
func (r *replayer) Decided(rank int, d *consensus.Decision, _ []float64) {
	if rank != 0 {
		return
	}
	for back := uint64(0); back < 2 && back <= d.Slot; back++ {
		for _, e := range r.seen[d.Slot-back] {
			e.at = r.n.now + time.Duration(r.sent%50)*100*time.Microsecond
			r.n.push(e)
			r.sent++
		}
	}
}

func (r *replayer) Sent(from, to int, m consensus.Message) {
	if _, beat := m.Body.(*consensus.Heartbeat); !beat {
		r.seen[m.Slot] = append(r.seen[m.Slot], event{to: to, what: r.n.letter(from, m).received})
	}
}

func TestReplayedMessagesHaveNoEffect(t *testing.T) {
	const size, rounds = 5, 6
	play := func(observer *replayer) *Report {
		c := config(size)
		if observer != nil {
			c.Observer = observer
		}
		n, err := newNetwork(c)
		if err != nil {
			t.Fatal(err)
		}
		if observer != nil {
			observer.n = n
		}
		counted := newCounts(size)
		n.part = func(rank int, g *group) error { return participate(t.Context(), rank, g, c.Seed, counted.part(rounds)) }
		n.play()
		n.running.Wait()
		if err := n.firstError(t.Context()); err != nil {
			t.Fatal(err)
		}
		return n.report()
	}
	r := &replayer{seen: map[uint64][]event{}}
	plain, replayed := play(nil), play(r)
	if r.sent == 0 {
		t.Fatal("nothing was sent again")
	}
	for slot, d := range plain.Members[0].Decisions {
		if got := replayed.Members[0].Decisions[slot]; got.Chain != d.Chain || got.Attempt != 0 {
			t.Errorf("slot %d: another decision with messages sent again", slot)
		}
	}
}
