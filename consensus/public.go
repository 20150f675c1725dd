package consensus

// The state of running totals is the same at all members, and some of it grows with the roster. The
// machines of a simulation, whose Plans have Repeated, hold it once: the first computes it, and the
// others find it here. The newest few values of each kind are kept, since members are at most a slot
// apart. A member alone keeps nothing here.
type publicState struct {
	tallies []publicTally
	counts  []publicCounts
	totals  []publicTotal
	bases   []publicBase
}

// A publicTally is the tally after a slot that counted members.
type publicTally struct {
	before  *tally
	members []uint32
	slot    uint64
	after   *tally
}

// counting is all but the view on which depends whose vectors a slot counts.
type counting struct {
	before    *tally
	began     bool
	size      uint32
	returns   bool // members that come back alone may count
	sealed    bool
	colluders int
}

// publicCounts are the members of a view that a slot counts.
type publicCounts struct {
	counting
	view, members []uint32
}

// A publicTotal is a total and its digest.
type publicTotal struct {
	digest [32]byte
	total  []float64
}

// A publicBase is the digest of a total and its tally.
type publicBase struct {
	run   [32]byte
	total *float64 // the first value of a total, which is not modified
	tally *tally
	base  [32]byte
}

// tallyAfter returns t.with(members, slot).
func (p *Plans) tallyAfter(t *tally, members []uint32, slot uint64) *tally {
	if p.Repeated == nil {
		return t.with(members, slot)
	}
	for _, x := range p.public.tallies {
		if x.before == t && x.slot == slot && equalMembers(x.members, members) {
			return x.after
		}
	}
	after := t.with(members, slot)
	p.public.tallies = keepLast(p.public.tallies, publicTally{t, members, slot, after})
	return after
}

// countsOf returns the members of a view that a slot counts, which the function counts computes. The
// caller must not modify them.
func (p *Plans) countsOf(c counting, view []uint32, counts func() []uint32) []uint32 {
	if p.Repeated == nil {
		return counts()
	}
	for _, x := range p.public.counts {
		if x.counting == c && equalMembers(x.view, view) {
			return x.members
		}
	}
	x := publicCounts{c, view, counts()}
	p.public.counts = keepLast(p.public.counts, x)
	return x.members
}

// totalOf returns a total with the same bits as one with the given digest, which copied returns.
// Nobody modifies it.
func (p *Plans) totalOf(digest [32]byte, copied func() []float64) []float64 {
	if p.Repeated == nil {
		return copied()
	}
	for _, x := range p.public.totals {
		if x.digest == digest {
			return x.total
		}
	}
	x := publicTotal{digest, copied()}
	p.public.totals = keepLast(p.public.totals, x)
	return x.total
}

// beginning returns a total with the same bits as the given one, with which a running total begins.
func (p *Plans) beginning(total []float64) []float64 {
	if p.Repeated == nil {
		return total
	}
	return p.totalOf(digestOfValues(total), func() []float64 { return total })
}

// baseOf returns the digest of a total and its tally, which the function base computes.
func (p *Plans) baseOf(run [32]byte, total []float64, t *tally, base func() [32]byte) [32]byte {
	if p.Repeated == nil {
		return base()
	}
	for _, x := range p.public.bases {
		if x.total == &total[0] && x.tally == t && x.run == run {
			return x.base
		}
	}
	x := publicBase{run, &total[0], t, base()}
	p.public.bases = keepLast(p.public.bases, x)
	return x.base
}
