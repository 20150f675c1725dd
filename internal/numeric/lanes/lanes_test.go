package lanes

import "testing"

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
	next := make([]int, Count(5000))
	seen := make([]int, Count(5000))
	if err := Each(counted(5000), func(l *Lane) error {
		n := l.Number
		return l.Blocks(func(from int, rows []float64) {
			if seen[n] > 0 && from != next[n] || len(rows) > 2*BlockRows || rows[0] != float64(from) {
				t.Errorf("lane %d: block from %d of %d values, want %d", n, from, len(rows), next[n])
			}
			next[n] = from + len(rows)/2
			seen[n] += len(rows) / 2
		})
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
