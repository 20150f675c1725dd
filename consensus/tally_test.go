package consensus

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// A tally after some slots has the members and slots of a map, and those of its record.
func TestTallyIsAMap(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for trial := range 200 {
		own, want := nobody, map[uint32]uint64{}
		for slot := range uint64(8) {
			var members []uint32
			for member := range uint32(12) {
				if rng.IntN(1+trial%3) == 0 {
					members = append(members, member)
					want[member] = slot
				}
			}
			own = own.with(members, slot)
		}
		got := map[uint32]uint64{}
		own.each(func(member uint32, slot uint64) { got[member] = slot })
		if !maps.Equal(got, want) || own.len() != len(want) {
			t.Fatalf("got %v of %d members, want %v", got, own.len(), want)
		}
		for member := range uint32(14) {
			slot, counted := own.of(member)
			if last, in := want[member]; in != counted || slot != last {
				t.Fatalf("member %d: got slot %d, %t, want %d, %t", member, slot, counted, last, in)
			}
		}
		var record []countedState
		for _, s := range own.spans {
			record = append(record, countedState{s.first, s.slot, s.last - s.first})
		}
		again, err := tallyOf(record, own.newest)
		if err != nil || !slices.Equal(again.spans, own.spans) || again.len() != own.len() || again.newest != own.newest {
			t.Fatalf("the record of %v gives %v: %v", own.spans, again, err)
		}
	}
}

// A record whose members are out of order, or beyond any roster, is refused, whatever their number.
func TestDamagedTallies(t *testing.T) {
	for _, record := range [][]countedState{
		{{Member: 3}, {Member: 3}},
		{{Member: 3, More: 4}, {Member: 7}},
		{{Member: maxRoster}},
		{{Member: 1, More: 1<<32 - 1}},
	} {
		if _, err := tallyOf(record, 0); err == nil {
			t.Errorf("%v: want an error", record)
		}
	}
}

// The entry of a running total does not grow with the members that one slot has counted.
func TestTotalsOnDiskDoNotGrow(t *testing.T) {
	size := func(members int) int {
		var all []uint32
		for i := range members {
			all = append(all, uint32(i))
		}
		r := &runningTotal{size: uint32(members), total: []float64{1}, counted: nobody.with(all, 1), began: true, last: 1}
		w := r.write(2, "k")
		return w.Size()
	}
	if few, many := size(10), size(10_000); many > few+10 {
		t.Errorf("an entry of 10,000 members has %d bytes, one of 10 members %d", many, few)
	}
}

// A stopping rule and a census keep the lists of decisions, not copies of them.
func TestListsOfMembersAreKeptOnce(t *testing.T) {
	for _, size := range []int{100, 10_000} {
		all := make([]uint32, size)
		for i := range all {
			all[i] = uint32(i)
		}
		d := &Decision{Members: all, Running: &Counted{Key: "k", Size: uint32(size), Members: all}}
		var s Steadiness
		var c Census
		s.Add(d)
		c.Add(d)
		if n := testing.AllocsPerRun(10, func() { s.Add(d); c.Add(d) }); n > 10 {
			t.Errorf("%d members: %g allocations", size, n)
		}
		if steady := s.Add(d); !steady {
			t.Errorf("%d members: want a steady total", size)
		}
		if counted, _ := c.Add(d); counted != size {
			t.Errorf("got %d members, want %d", counted, size)
		}
	}
}
