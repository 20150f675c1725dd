package simulate

import (
	"sync"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/netsim"
)

// observers passes everything to each observer.
type observers []netsim.Observer

func (o observers) Called(member int, slot uint64, c consensus.Call) {
	for _, x := range o {
		x.Called(member, slot, c)
	}
}

func (o observers) Sent(from, to int, m consensus.Message) {
	for _, x := range o {
		x.Sent(from, to, m)
	}
}

func (o observers) Decided(member int, d *consensus.Decision, counted []float64) {
	for _, x := range o {
		x.Decided(member, d, counted)
	}
}

// A witness records in a ledger what sums reveal together, while they are made.
type witness struct {
	mu     sync.Mutex
	ledger *report.Ledger
	called uint64 // slots below it have been called
	next   uint64 // slots below it have been decided
}

func (w *witness) Called(_ int, slot uint64, c consensus.Call) {
	if c.Kind != consensus.Sum || slot < w.called {
		return
	}
	w.called = slot + 1
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ledger.Called(c.Blocks)
}

func (*witness) Sent(int, int, consensus.Message) {}

func (w *witness) Decided(_ int, d *consensus.Decision, _ []float64) {
	if d.Slot < w.next {
		return
	}
	w.next = d.Slot + 1
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ledger.Add(d)
}

// news returns what all members have learned about others since the last call.
func (w *witness) news() []report.Warning {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ledger.News()
}
