package consensus

import "slices"

// A tally has the members that a running total has counted, and the last slot that counted each of
// them. The zero value has none. It is never modified, so totals share it, and in a simulation
// members do.
type tally struct {
	spans  []span // ascending, and longest: neighbours have different slots, or a gap between them
	size   int    // number of members
	newest uint64 // last slot that counted any member
}

// A span is the members from first to last, which the same slot counted last.
type span struct {
	first, last uint32
	slot        uint64
}

// nobody is the tally with which totals begin. Its one address lets members share what follows from it.
var nobody = new(tally)

// add appends a member after all others.
func (t *tally) add(member uint32, slot uint64) {
	t.size++
	t.newest = max(t.newest, slot)
	if n := len(t.spans); n > 0 && t.spans[n-1].last+1 == member && t.spans[n-1].slot == slot {
		t.spans[n-1].last = member
		return
	}
	t.spans = append(t.spans, span{member, member, slot})
}

// of returns the last slot that counted a member, if any has.
func (t *tally) of(member uint32) (slot uint64, counted bool) {
	if t == nil {
		return 0, false
	}
	i, in := slices.BinarySearchFunc(t.spans, member, func(s span, member uint32) int {
		switch {
		case s.last < member:
			return -1
		case s.first > member:
			return 1
		}
		return 0
	})
	if !in {
		return 0, false
	}
	return t.spans[i].slot, true
}

// len returns the number of members.
func (t *tally) len() int {
	if t == nil {
		return 0
	}
	return t.size
}

// each calls f with the members in ascending order.
func (t *tally) each(f func(member uint32, slot uint64)) {
	for _, s := range t.spans {
		for member := uint64(s.first); member <= uint64(s.last); member++ {
			f(uint32(member), s.slot)
		}
	}
}

// misses reports whether the last slot has left out a member that one below the slot early was the last
// to count.
func (t *tally) misses(early uint64) bool {
	return slices.ContainsFunc(t.spans, func(s span) bool { return s.slot < t.newest && s.slot < early })
}

// with returns the tally after a slot that has counted the given members, in ascending order.
func (t *tally) with(members []uint32, slot uint64) *tally {
	after := &tally{newest: t.newest}
	t.each(func(member uint32, before uint64) {
		for len(members) > 0 && members[0] < member {
			after.add(members[0], slot)
			members = members[1:]
		}
		if len(members) > 0 && members[0] == member {
			before, members = slot, members[1:]
		}
		after.add(member, before)
	})
	for _, member := range members {
		after.add(member, slot)
	}
	return after
}

// equalMembers reports whether two lists of members are equal. It compares their addresses first:
// members of a simulation have lists of thousands in one memory.
func equalMembers(a, b []uint32) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0] || slices.Equal(a, b))
}
