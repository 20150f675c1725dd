package passes

import (
	"testing"

	"github.com/collabdict/collabdict/internal/numeric/parallel"
)

// counted is a source of rows of two values: their index and 0.
type counted int

func (c counted) Dims() (rows, columns int) { return int(c), 2 }

func (c counted) ReadRows(x []float64, from int) error {
	for i := range x {
		x[i] = float64((from + i/2) * (1 - i%2))
	}
	return nil
}

// Rows are read in ascending order within a lane, at most a block at once.
func TestPassesReadBlocksInOrder(t *testing.T) {
	r := NewReader(counted(5000))
	next := make([]int, r.Lanes())
	seen := make([]int, r.Lanes())
	if err := r.Sweep(func(l, from int, rows []float64) {
		if seen[l] > 0 && from != next[l] || len(rows) > 2*parallel.BlockRows || rows[0] != float64(from) {
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
