package consensus

import (
	"testing"

	"github.com/collabdict/collabdict"
)

// A running total has the members that it has counted so far, and those of the total that it
// continues. Members that a later total with the same beginning counts are not among them.
func TestCensus(t *testing.T) {
	var c Census
	for i, s := range []struct {
		key, from string
		members   []uint32
		want      int
	}{
		{"moments", "", []uint32{0, 1, 2, 3}, 4},
		{"", "", nil, 0},
		{"clusters", "moments", []uint32{0, 1, 2}, 4},
		{"clusters", "moments", []uint32{4, 5, 6}, 7},
		{"statistics", "moments", nil, 4},
		{"statistics", "moments", []uint32{1, 2, 3}, 4},
		{"statistics", "moments", []uint32{4, 5}, 6},
	} {
		d := &Decision{Members: []uint32{0, 1, 2, 3, 4, 5, 6}, Running: &Counted{Key: s.key, From: s.from, Size: 7, Members: s.members}}
		if s.key == "" {
			d.Running = nil
		}
		if counted, rounding := c.Add(d); counted != s.want || (rounding > 0) != (s.want > 0) {
			t.Errorf("sum %d: %d members, rounding %g, want %d members", i, counted, rounding, s.want)
		}
	}
}

// A value with any bound is rounded by no more than the reported amount.
func TestRoundingOfRunningTotals(t *testing.T) {
	for _, s := range []Settings{{Scheme: Exact}, {Scheme: BaseK}, {}, {Tolerance: 1e-4}} {
		for _, size := range []uint32{3, 7, 100, 1000} {
			for _, bound := range []float64{1, 1.5, 1.999, 2, 3e-9, 7e80} {
				half := s.withDefaults().quanta([]collabdict.Block{{Len: 1, Bound: bound}}, size)[0].unit / 2
				if most := s.rounding(size) * bound; half > most || half < most/8 {
					t.Errorf("%+v: %d members: bound %g: half a quantum is %g, and reported as at most %g", s, size, bound, half, most)
				}
			}
		}
	}
}
