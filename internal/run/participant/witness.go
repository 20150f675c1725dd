package participant

import (
	"context"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/node"
)

// witness wraps the group of a node, and records in a ledger what its sums reveal together.
type witness struct {
	*node.Node
	ledger  *report.Ledger
	journal *record
	differs *report.PastRun // an earlier run that differs by few members; nil if there is none
}

func (w witness) Sum(ctx context.Context, s collabdict.Summand) ([]float64, error) {
	w.ledger.Called(s.Blocks)
	total, err := w.Node.Sum(ctx, s)
	if err == nil {
		err = w.note(total)
	}
	return total, err
}

func (w witness) Gather(ctx context.Context, e collabdict.Entry, blob []byte) ([][]byte, error) {
	blobs, err := w.Node.Gather(ctx, e, blob)
	if err == nil {
		err = w.note(nil)
	}
	return blobs, err
}

func (w witness) TakeMissed() (total []float64, ok bool) {
	if total, ok = w.Node.TakeMissed(); ok {
		_ = w.note(total) // the next sum returns the error
	}
	return total, ok
}

func (w witness) TakeDecided() (total []float64, ok bool) {
	if total, ok = w.Node.TakeDecided(); ok {
		_ = w.note(total) // the next sum returns the error
	}
	return total, ok
}

// note records the result of a call. Its error is that of the journal.
func (w witness) note(total []float64) error {
	d := *w.Answer()
	d.Total = total
	w.ledger.Named(namesOf(w.Node)) // members may have joined
	w.ledger.Add(&d)
	return w.journal.decided(&d)
}
