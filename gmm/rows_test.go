package gmm

import (
	"errors"
	"sync/atomic"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
)

// breaking is rows that can be read only so often.
type breaking struct {
	Rows
	left atomic.Int64
}

var errGone = errors.New("rows.csv: changed while it was read")

func (b *breaking) ReadRows(x []float64, from int) error {
	if b.left.Add(-1) < 0 {
		return errGone
	}
	return b.Rows.ReadRows(x, from)
}

// A source that fails in any pass ends what asked for it with the cause, and leaves
// no model but the last one.
func TestRowsThatCannotBeRead(t *testing.T) {
	whole := &breaking{Rows: Matrix(patterns(600, 3, 4, 3))}
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
		l.rows.rows = b
		if _, _, err := l.LocalUpdate(); !errors.Is(err, errGone) {
			t.Errorf("an update of rows that are gone: %v", err)
		}
		if _, err := l.Model().MeanLogLik(b); !errors.Is(err, errGone) {
			t.Errorf("the log-likelihood of rows that are gone: %v", err)
		}
	}
}

// Rows are read in ascending order within a lane, and no more than a block at once.
func TestPassesReadBlocksInOrder(t *testing.T) {
	x := mat.NewDense(5000, 2, nil)
	for i := range 5000 {
		x.Set(i, 0, float64(i))
	}
	r := newReader(Matrix(x))
	next := make([]int, len(r.lanes))
	seen := make([]int, len(r.lanes))
	if err := r.sweep(func(l, from int, rows []float64) {
		if seen[l] > 0 && from != next[l] || len(rows) > 2*blockRows || rows[0] != float64(from) {
			t.Errorf("lane %d: block from %d of %d values, want %d", l, from, len(rows), next[l])
		}
		next[l] = from + len(rows)/2
		seen[l] += len(rows) / 2
	}); err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, n := range seen {
		total += n
	}
	if total != 5000 {
		t.Errorf("%d rows were read, want 5000", total)
	}
}

// Slices of a matrix are read by their own shape.
func TestMatrixOfASlice(t *testing.T) {
	x := patterns(10, 4, 2, 1)
	got := make([]float64, 6)
	if err := Matrix(x.Slice(2, 9, 1, 3).(*mat.Dense)).ReadRows(got, 1); err != nil {
		t.Fatal(err)
	}
	nearAll(t, "rows", got, []float64{x.At(3, 1), x.At(3, 2), x.At(4, 1), x.At(4, 2), x.At(5, 1), x.At(5, 2)}, 0)
}
