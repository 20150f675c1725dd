package em

import (
	"errors"
	"sync/atomic"
	"testing"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/testkit"
)

// breaking is rows that can be read only a limited number of times.
type breaking struct {
	gmm.Rows
	left atomic.Int64
}

var errGone = errors.New("rows.csv: changed while it was read")

func (b *breaking) ReadRows(x []float64, from int) error {
	if b.left.Add(-1) < 0 {
		return errGone
	}
	return b.Rows.ReadRows(x, from)
}

// If a source fails in any pass, the method that needs it returns the cause, and only the last
// model is left.
func TestRowsThatCannotBeRead(t *testing.T) {
	whole := &breaking{Rows: gmm.Matrix(testkit.Patterns(600, 3, 4, 3))}
	whole.left.Store(1 << 40)
	for _, g := range []collabdict.Group{collabdict.Solo{}, crowd{}} {
		before := whole.left.Load()
		l, err := NewLearner(whole, Config{Components: 4})
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Start(t.Context(), g); err != nil {
			t.Fatal(err)
		}
		reads := before - whole.left.Load()
		for n := range reads {
			b := &breaking{Rows: whole}
			b.left.Store(n)
			l, err := NewLearner(b, Config{Components: 4})
			if err == nil {
				err = l.Start(t.Context(), g)
			}
			if !errors.Is(err, errGone) || l != nil && l.Model() != nil {
				t.Fatalf("read %d of %d fails: %v", n+1, reads, err)
			}
		}
		b := &breaking{Rows: whole}
		b.left.Store(2)
		l.rows.Rows = b
		if _, err := l.LocalUpdate(); !errors.Is(err, errGone) {
			t.Errorf("an update of unreadable rows: %v", err)
		}
		if _, err := l.Model().MeanLogLik(b); !errors.Is(err, errGone) {
			t.Errorf("the log-likelihood of unreadable rows: %v", err)
		}
	}
}
