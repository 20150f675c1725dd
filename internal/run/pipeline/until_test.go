package pipeline

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/numeric/lanes"
	"github.com/collabdict/collabdict/internal/testkit/algorithmtest"
)

// watched notes the positions at which its rows are read after a context has ended.
type watched struct {
	collabdict.Rows
	mu    sync.Mutex
	first func() // if not nil, called at the next read
	after []int
	ended bool
}

func (w *watched) ReadRows(x []float64, from int) error {
	w.mu.Lock()
	if w.ended {
		w.after = append(w.after, from)
	}
	if w.first != nil {
		w.first()
		w.first, w.ended = nil, true
	}
	w.mu.Unlock()
	return w.Rows.ReadRows(x, from)
}

// A participant that is stopped during a pass over many rows does not read them to the end. It has
// the model of the last completed round.
func TestAPassEndsWithItsContext(t *testing.T) {
	const n = 100_000
	w := &watched{Rows: rows.InMemory(algorithmtest.Draw(5, n, []float64{0, 3}, []float64{1, 2}))}
	ctx, stop := context.WithCancel(t.Context())
	p := dataset.Participant{Name: "site", Columns: []string{"x", "y"}, Train: w}
	r, err := example(t, "rounds=50", "tol=0").Fit(ctx, collabdict.Solo{}, p, nil, func(p algorithm.Progress) {
		if p.Number == 2 {
			w.first = stop
		}
	})
	if !errors.Is(err, context.Canceled) || r.Last.Number != 2 || r.Model == nil {
		t.Fatalf("got %v, round %d, a model: %v", err, r.Last.Number, r.Model != nil)
	}
	read := 0
	for read < len(w.after) && w.after[read] > 0 { // a later pass begins with row 0
		read++
	}
	if lanes := lanes.Count(n); read > lanes {
		t.Errorf("%d more blocks were read, want at most %d: at rows %v", read, lanes, w.after[:read])
	}
}
