package grouptest

import (
	"maps"
	"slices"
	"testing"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/consensus"
)

// A member that has missed all slots of a running total is counted in the next total with its
// initial vector, carried through both.
func TestReplayOfAMemberThatMissesAWholeTotal(t *testing.T) {
	all, two := []uint32{0, 1, 2}, []uint32{0, 1}
	slot := func(key, from string, members []uint32, length int) Slot {
		s := Slot{Total: make([]float64, length), Running: &consensus.Counted{Key: key, From: from, Size: 3, Members: members}}
		for _, m := range members {
			s.Members = append(s.Members, int(m))
		}
		return s
	}
	r := NewReplay(3, consensus.Exact, []Slot{slot("a", "", all, 2), slot("b", "a", two, 2), slot("b", "a", two, 2), slot("c", "b", two, 1)})
	r.begin["b"] = func(x []float64) []float64 { return []float64{2 * x[0], x[1]} }
	r.begin["c"] = func(x []float64) []float64 { return x[:1] }
	for at, s := range r.log {
		r.blocks[at] = []collabdict.Block{{Len: len(s.Total), Bound: 64}}
		for _, m := range s.Members {
			r.sums[at][m] = []float64{float64(10*at + m), 1}[:len(s.Total)]
		}
	}
	got := r.counted(3, r.log[3].Running)
	want := map[int][]float64{0: {30}, 1: {31}, 2: {4}}
	if !maps.EqualFunc(got, want, slices.Equal[[]float64]) {
		t.Errorf("got %v, want %v", got, want)
	}
	got = r.counted(1, r.log[1].Running)
	if want := map[int][]float64{0: {10, 1}, 1: {11, 1}, 2: {4, 1}}; !maps.EqualFunc(got, want, slices.Equal[[]float64]) {
		t.Errorf("got %v, want %v", got, want)
	}
}
