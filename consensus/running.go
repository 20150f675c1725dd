package consensus

import (
	"fmt"
	"math"
	"slices"

	"github.com/collabdict/collabdict"
)

// A running total is a sum over the roster that continues from slot to slot: T(t) = T(t−1) +
// Σ_{i in V} (x^i − a^i), where a^i is the last counted vector of member i, or 0. The last
// counted vector of a lost member stays in the total.
//
// Two sums over views that differ in one member would reveal that member's part of everything
// that does not depend on the model, such as its number of rows. Two running totals do not.
//
// Invariants:
//   - the total is Σ a^i over the counted members, to the last bit. Vectors are rounded to a
//     quantum that is fixed for the run, and a total is below 2^52 quanta. A total that began
//     as another one differs by the rounding error of its beginning, which is the same in all
//     slots;
//   - a^i is on disk together with the decision that counted it, and is never computed again;
//   - a slot counts the first vectors of at least Colluders + 2 members, or of none, unless the
//     settings have AcceptLoneChange;
//   - a slot counts at least Colluders + 2 vectors, or none;
//   - while a member is missing that was lost early, no other one takes more than half of its rows
//     out of a component (components.go).
//
// The last three do not apply without pads. A total that begins from nothing has counted nobody or
// all: its first slot waits for the whole roster (patience.go).

// A RunningHeader is the state of a running total on which members must agree before any value
// moves.
type RunningHeader struct {
	Key, From string
	Size      uint32   // size of the roster in which the total began
	Base      [32]byte // digest of the previous total and of the members counted in it
}

// Counted names the running total of a decided sum, and the members whose vectors of this slot
// it contains. Other members' earlier vectors stay in the total.
type Counted struct {
	Key, From string
	Size      uint32
	Members   []uint32
}

// Counts reports whether a member's vector of this slot is in the total.
func (d *Decision) Counts(member int) bool {
	_, in := slices.BinarySearch(d.whose(), uint32(member))
	return in
}

// OnLoneReturn is the policy for the vector of a member that comes back when fewer than
// Colluders + 2 members do so in one slot.
type OnLoneReturn string

// The policies.
const (
	// AllowLoneReturn, the default, counts the vector. Once the model has converged, all
	// members learn by how much this member's vector has changed.
	AllowLoneReturn OnLoneReturn = "allow"
	// HoldLoneReturn keeps the old vector in the total until enough members come back together.
	HoldLoneReturn OnLoneReturn = "hold"
)

// A runningTotal is one member's state of a running total.
type runningTotal struct {
	from    string
	size    uint32
	total   []float64 // not modified: members of a simulation share it
	counted *tally    // not nil
	vector  []float64 // this member's counted vector; nil for none
	largest []float64 // this member's largest count of each component since a member is missing; nil if none is
	early   uint64    // slots below it are of the start, or of rounds up to StartRounds
	last    uint64    // slot of the last decision
	began   bool      // there was a decision
	blocks  []collabdict.Block
}

const (
	mostKeys   = 64 // most running totals in a run
	mostKeyLen = 64 // longest key, in bytes
	maxRoster  = 1 << 20
)

// runningHeader returns the header of a call's running total. It creates the total if needed.
func (m *Machine) runningHeader(c *Call, blocks []collabdict.Block) (RunningHeader, error) {
	key := c.Running.Key
	if key == "" {
		return RunningHeader{}, nil
	}
	r := m.totals[key]
	if r == nil {
		if len(m.totals) >= mostKeys || len(key) > mostKeyLen {
			panic("consensus: too many running totals, or too long a key")
		}
		r = m.newTotal(c.Running.From)
	}
	if r.from == "" && !r.began {
		r.size = uint32(m.roster.Size) // the roster may have changed since an earlier call
	}
	if r.from != c.Running.From {
		return RunningHeader{}, fmt.Errorf("running total %q: it began as %q, not as %q: run the same version everywhere", key, r.from, c.Running.From)
	}
	if r.blocks != nil && !slices.Equal(r.blocks, blocks) {
		return RunningHeader{}, fmt.Errorf("running total %q: want the bounds of its first call, got others", key)
	}
	r.blocks = blocks
	q := m.p.quanta(blocks, r.size)
	from := m.totals[r.from]
	if r.from != "" && from == nil {
		return RunningHeader{}, fmt.Errorf("running total %q: there is no %q to begin it with: run the same version everywhere", key, r.from)
	}
	if r.total == nil {
		r.total = make([]float64, len(c.Values))
		if from != nil {
			r.total = c.Running.Begin(from.total)
		}
		if len(r.total) != len(c.Values) {
			panic(fmt.Sprintf("consensus: running total %q begins with %d values, want %d", key, len(r.total), len(c.Values)))
		}
		q.quantise(r.total)
		r.total = m.plans.beginning(r.total)
	}
	if len(r.total) != len(c.Values) {
		return RunningHeader{}, fmt.Errorf("running total %q: want %d values as before, got %d", key, len(r.total), len(c.Values))
	}
	begins := false
	if r.vector == nil && from != nil {
		if vector := m.countedVector(from, c.Running.Before); vector != nil {
			r.vector, begins = c.Running.Begin(vector), true
			q.quantise(r.vector)
		}
	}
	if _, counted := r.counted.of(uint32(m.p.Self)); counted && r.vector == nil {
		return RunningHeader{}, fmt.Errorf("running total %q: this member's counted vector is no longer on disk, so the total cannot continue", key)
	}
	if begins || m.totals[key] == nil {
		m.totals[key] = r
		m.slot.carries, m.slot.dirty = true, true
	}
	return RunningHeader{Key: key, From: r.from, Size: r.size, Base: m.plans.baseOf(m.p.Run, r.total, r.counted, func() [32]byte { return r.digest(m.p.Run) })}, nil
}

// newTotal returns the running total that begins as another one, or from nothing.
func (m *Machine) newTotal(key string) *runningTotal {
	r := &runningTotal{from: key, size: uint32(m.roster.Size), counted: nobody}
	if from := m.totals[key]; from != nil {
		r.size, r.counted, r.early = from.size, from.counted, from.early
	}
	return r
}

// countedVector returns this member's counted vector of a running total, or nil. If it has missed
// all sums of the total, that is the vector with which the total began.
func (m *Machine) countedVector(r *runningTotal, began *collabdict.Running) []float64 {
	if r.vector != nil || began == nil {
		return r.vector
	}
	from := m.totals[began.From]
	if from == nil || r.from != began.From {
		return nil
	}
	vector := m.countedVector(from, began.Before)
	if vector == nil {
		return nil
	}
	return began.Begin(vector)
}

// roomFor returns the largest number of members that a running total can count, including later
// ones, if it began in a roster of the given size.
func roomFor(size uint32) int { return max(16, 2*int(size)) }

// digest returns the digest of the total and of the members counted in it.
func (r *runningTotal) digest(run [32]byte) [32]byte {
	h := newHashing("running total", run)
	d := digestOfValues(r.total)
	h.Write(d[:])
	r.counted.each(func(member uint32, slot uint64) {
		h.number(uint64(member))
		h.number(slot)
	})
	return h.sum()
}

// quanta are the quanta of consecutive blocks.
type quanta []quantum

type quantum struct {
	n    int
	unit float64 // a power of two
}

// quanta returns the quanta of blocks in a roster of the given size. A total is below 2^52
// quanta, so float64 adds it up exactly. In floating-point sessions a quantum is at least twice
// the error of the total, so rounding makes it exact. The plan predicts that error
// (session.Laplacian.Tolerance): for n members below n(√n·tolerance + rounding) times the scale
// of differences.
func (s Settings) quanta(blocks []collabdict.Block, size uint32) (q quanta) {
	const rounding = 0x1p-28 // of some steps between four neighbours, for masked values
	for _, b := range blocks {
		_, exp := math.Frexp(b.Bound * float64(roomFor(size)))
		unit := math.Ldexp(1, exp-52)
		if s.Scheme == Laplacian {
			n := float64(size)
			left := s.Tolerance*math.Sqrt(n*float64(s.lanes())) + rounding
			_, exp := math.Frexp(2 * n * left * 2 * b.Bound)
			unit = max(unit, math.Ldexp(1, exp))
		}
		q = append(q, quantum{b.Len, unit})
	}
	return q
}

// quantise rounds values to quanta, half to even.
func (q quanta) quantise(x []float64) {
	for _, b := range q {
		for i, v := range x[:b.n] {
			x[i] = math.RoundToEven(v/b.unit) * b.unit
		}
		x = x[b.n:]
	}
}

// scaled returns blocks with bounds multiplied by a factor: that of the difference of two vectors
// is twice that of a vector.
func scaled(blocks []collabdict.Block, factor float64) []collabdict.Block {
	out := slices.Clone(blocks)
	for i := range out {
		out[i].Bound *= factor
	}
	return out
}

// countedIn returns the members of a view whose vectors count in a slot of a running total. It
// depends only on the log and the view, whoever was invited, so it is the same at all members. The
// caller must not modify it.
func (m *Machine) countedIn(h Header, members []uint32) []uint32 {
	counted, began := m.countedBefore(h.Running)
	c := counting{
		before: counted, began: began, size: h.Running.Size, sealed: m.roster.Sealed, colluders: m.roster.Colluders,
		returns: !m.roster.Sealed || m.p.OnLoneReturn != HoldLoneReturn && h.Round >= firstLoneReturn,
	}
	return m.plans.countsOf(c, members, func() []uint32 { return c.of(members, m.p.AcceptLoneChange) })
}

// of returns the members of a view whose vectors count. firstsAlone reports whether the first
// vectors of a few members may count.
func (c *counting) of(view []uint32, firstsAlone bool) []uint32 {
	var firsts, returns, stay []uint32
	for _, member := range view {
		switch slot, was := c.before.of(member); {
		case !was && c.before.len()+len(firsts) >= roomFor(c.size):
		case !was:
			firsts = append(firsts, member)
		case c.began && slot < c.before.newest:
			returns = append(returns, member)
		default:
			stay = append(stay, member)
		}
	}
	enough := c.colluders + 2
	if !c.sealed || firstsAlone || len(firsts) >= enough {
		stay = append(stay, firsts...)
	} else {
		firsts = nil
	}
	if c.returns || len(firsts)+len(returns) >= enough {
		stay = append(stay, returns...)
	}
	if c.sealed && len(stay) < enough { // if the others' vectors are held back, the total would reveal one of these
		return nil
	}
	slices.Sort(stay)
	return stay
}

// firstLoneReturn is the first round in which the vector of a member that comes back alone may
// count. Before, the change would reveal how its rows are divided.
const firstLoneReturn = 2

// countedBefore returns the members that a running total has counted, nil for none, and whether the
// total has begun. In its first slot it is where the total stopped that it continues.
func (m *Machine) countedBefore(h RunningHeader) (counted *tally, began bool) {
	if r := m.totals[h.Key]; r != nil && (r.began || h.From == "") {
		return r.counted, r.began
	}
	if from := m.totals[h.From]; from != nil {
		return from.counted, from.began
	}
	return nil, false
}

// waitsForAll reports whether only a view of all members can decide the slot: the call is the
// first of a running total that begins from nothing. Without a call, this member leaves that
// judgement to the others, and deals in no view.
func (m *Machine) waitsForAll() bool {
	if m.slot.call == nil {
		return false
	}
	h := m.slot.call.header.Running
	counted, _ := m.countedBefore(h)
	return h.Key != "" && h.From == "" && counted.len() == 0
}

// least returns the size of the smallest view that may decide the slot.
func (m *Machine) least() int {
	if m.waitsForAll() {
		return m.roster.Size
	}
	return m.roster.Least
}

// countedEarly returns the members that the slot leaves out after startPatience only, or nil.
func (m *Machine) countedEarly() *tally {
	if m.slot.call == nil || m.slot.call.header.Round > StartRounds {
		return nil
	}
	counted, _ := m.countedBefore(m.slot.call.header.Running)
	return counted
}

// summand returns this member's summand in a view: its vector, or in a running total the
// difference from its counted vector, or zeros if it does not count.
func (m *Machine) summand(c *call, members []uint32) []float64 {
	if c.header.Running.Key == "" {
		return c.values
	}
	counts := m.countedIn(c.header, members)
	if _, in := slices.BinarySearch(counts, uint32(m.p.Self)); !in {
		return make([]float64, len(c.values))
	}
	r := m.totals[c.header.Running.Key]
	out := slices.Clone(m.entered(r, c, counts))
	for i, v := range r.vector {
		out[i] -= v
	}
	return out
}

// carryOn turns a decision's sum of differences into the new running total. It reports whether
// this member knows the previous total.
func (m *Machine) carryOn(d *Decision, sealed *Sealed) (known bool) {
	h := sealed.Header.Running
	base := make([]float64, len(d.Total))
	if r := m.totals[h.Key]; r != nil {
		base = r.total
	} else if h.From != "" {
		return false
	}
	if len(base) != len(d.Total) {
		return false
	}
	m.p.quanta(scaled(sealed.Blocks, 0.5), h.Size).quantise(d.Total)
	for i := range d.Total {
		d.Total[i] += base[i]
	}
	d.Running = &Counted{Key: h.Key, From: h.From, Size: h.Size, Members: m.countedIn(sealed.Header, sealed.Members)}
	return true
}

// updateTotal enters the decision of the current slot into its running total.
func (m *Machine) updateTotal(d *Decision) {
	c := d.Running
	if c == nil {
		return
	}
	m.held = d.held()
	r := m.totals[c.Key]
	if r == nil {
		r = m.newTotal(c.From)
		r.size, m.totals[c.Key] = c.Size, r
	}
	r.total = m.plans.totalOf(d.Digest, func() []float64 { return slices.Clone(d.Total) }) // the caller owns the decision
	if call := m.slot.call; call != nil && d.Counts(m.p.Self) {
		before := r.vector
		if r.vector = m.entered(r, call, c.Members); before != nil {
			r.largest = call.layout.counts(r.vector, call.layout.counts(before, r.largest))
		}
	}
	r.last, r.began = d.Slot, true
	if d.Round <= StartRounds {
		r.early = d.Slot + 1
	}
	r.counted = m.plans.tallyAfter(r.counted, c.Members, d.Slot)
	if !r.counted.misses(r.early) {
		r.largest = nil
	}
}

// Counted returns this member's vector in the running total of a decision, or nil. The caller must
// not modify it.
func (m *Machine) Counted(d *Decision) []float64 {
	if d.Running == nil || m.totals[d.Running.Key] == nil {
		return nil
	}
	return m.totals[d.Running.Key].vector
}

// whose returns the members whose vectors of this slot are in the total.
func (d *Decision) whose() []uint32 {
	if d.Running != nil {
		return d.Running.Members
	}
	return d.Members
}

// held returns the members of a decision whose vectors it did not count.
func (d *Decision) held() (members []uint32) {
	if len(d.whose()) == len(d.Members) { // it counts members of the view only
		return nil
	}
	for _, member := range d.Members {
		if !d.Counts(int(member)) {
			members = append(members, member)
		}
	}
	return members
}
