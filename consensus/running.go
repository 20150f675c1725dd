package consensus

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/collabdict/collabdict"
)

// A running total is a sum over the roster that is carried on from slot to slot: T(t) =
// T(t−1) + Σ_{i in V} (x^i − a^i), where a^i is the last vector of member i that was
// counted, 0 before. The last vector of a member that is lost stays in it. Two sums over
// views that differ in one member would tell that member's part of all that does not
// depend on the model, such as its number of rows; two running totals do not.
//
// Invariants:
//   - the total is Σ a^i over the counted members, to the last bit: vectors are rounded
//     to a quantum of which a total never has 2^52, and it is fixed for the run. One that
//     began as another is off by what its beginning was rounded, the same in all slots;
//   - a^i is on disk with the decision that has counted it, and is never computed again;
//   - the vectors of fewer than Colluders + 2 members are never counted for the first
//     time in one slot, nor counted at all, unless the settings accept that.

// Running names a running total that the vector of a Call belongs to. The zero value is a sum
// over the view alone.
type Running = collabdict.Running

// RunningHeader is what members must agree on of a running total before any value moves.
type RunningHeader struct {
	Key, From string
	Size      uint32   // of the roster that it began in
	Base      [32]byte // digest of the total before, and of who is counted in it
}

// Counted says which running total a decided sum belongs to, and whose vectors it has
// counted anew. The vectors of all others are the ones counted before.
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

// OnLoneReturn says what becomes of the vector of a member that comes back, if fewer than
// Colluders + 2 do in one slot.
type OnLoneReturn string

// The policies.
const (
	// AllowLoneReturn counts it: once the model has settled, all members learn by how
	// much this member's vector has changed. The default.
	AllowLoneReturn OnLoneReturn = "allow"
	// HoldLoneReturn leaves the old one in the total until enough come back together.
	HoldLoneReturn OnLoneReturn = "hold"
)

// runningTotal is one member's knowledge of a running total.
type runningTotal struct {
	from    string
	size    uint32
	total   []float64
	counted map[uint32]uint64 // the slots that have counted the members
	own     []float64         // the vector of this member that is counted; nil for none
	last    uint64            // the slot of the last decision
	began   bool              // there was one
	newest  uint64            // the last slot that has counted anybody
	blocks  []collabdict.Block
}

const (
	mostKeys   = 64 // running totals of a run
	mostKeyLen = 64 // bytes of a key
	maxRoster  = 1 << 20
)

// runningHeader returns the header of a call's running total, which it makes where there
// is none yet.
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
		r = &runningTotal{from: c.Running.From, size: uint32(m.roster.Size), counted: map[uint32]uint64{}}
		if from := m.totals[r.from]; from != nil {
			r.size, r.counted = from.size, maps.Clone(from.counted)
		}
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
		q.round(r.total)
	}
	if len(r.total) != len(c.Values) {
		return RunningHeader{}, fmt.Errorf("running total %q: want %d values as before, got %d", key, len(r.total), len(c.Values))
	}
	begins := false
	if r.own == nil && from != nil {
		if own := m.missedOwn(from, c.Running.Before); own != nil {
			r.own, begins = c.Running.Begin(own), true
			q.round(r.own)
		}
	}
	if _, counted := r.counted[uint32(m.p.Self)]; counted && r.own == nil {
		return RunningHeader{}, fmt.Errorf("running total %q: the vector of this member that is counted in it is not on the disk any more: nothing can be added to it", key)
	}
	if begins || m.totals[key] == nil {
		m.totals[key] = r
		m.slot.carries, m.slot.dirty = true, true
	}
	return RunningHeader{Key: key, From: r.from, Size: r.size, Base: r.digest(m.p.Run)}, nil
}

// missedOwn returns this member's counted vector of a running total, nil if there is none. If
// it has missed all sums of it, the vector is what it began with.
func (m *Machine) missedOwn(r *runningTotal, of *Running) []float64 {
	if r.own != nil || of == nil {
		return r.own
	}
	from := m.totals[of.From]
	if from == nil || r.from != of.From {
		return nil
	}
	own := m.missedOwn(from, of.Before)
	if own == nil {
		return nil
	}
	return of.Begin(own)
}

// roomFor returns how many members can be counted in a running total that began in a
// roster of some size, those that are added later included.
func roomFor(size uint32) int { return max(16, 2*int(size)) }

// digest returns that of the total, and of who is counted in it.
func (r *runningTotal) digest(run [32]byte) [32]byte {
	h := newHashing("running total", run)
	d := digestOfValues(r.total)
	h.Write(d[:])
	for _, member := range slices.Sorted(maps.Keys(r.counted)) {
		h.number(uint64(member))
		h.number(r.counted[member])
	}
	return h.sum()
}

// quanta are what the values of blocks are rounded to.
type quanta []quantum

type quantum struct {
	n    int
	unit float64 // a power of two
}

// quanta returns those of blocks in a roster of so many members: a total has below 2^52 of
// them, so that float64 adds it up exactly. A total of a session in floating point is exact
// to half a quantum: of n members it is off by less than what the session's plan predicts
// (session.Laplacian.Tolerance), n(√n·tolerance + rounding) times the scale of differences.
func (s Settings) quanta(blocks []collabdict.Block, size uint32) (q quanta) {
	const rounding = 0x1p-28 // of some steps between four neighbours, of masked values
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

// round rounds values, half to even.
func (q quanta) round(x []float64) {
	for _, b := range q {
		for i, v := range x[:b.n] {
			x[i] = math.RoundToEven(v/b.unit) * b.unit
		}
		x = x[b.n:]
	}
}

// doubled returns blocks for differences of two vectors.
func doubled(blocks []collabdict.Block) []collabdict.Block {
	out := slices.Clone(blocks)
	for i := range out {
		out[i].Bound *= 2
	}
	return out
}

// halved returns the blocks of vectors, given those of their differences.
func halved(blocks []collabdict.Block) []collabdict.Block {
	out := slices.Clone(blocks)
	for i := range out {
		out[i].Bound /= 2
	}
	return out
}

// counts returns the members of a view whose vectors count in a slot of a running total.
// It follows from the log and the view, so it is the same at all members, and a view of
// other members than were invited counts as what it is.
func (m *Machine) counts(h Header, members []uint32) []uint32 {
	counted, newest, began := m.countedBefore(h.Running)
	var firsts, returns, stay []uint32
	for _, member := range members {
		switch slot, was := counted[member]; {
		case !was && len(counted)+len(firsts) >= roomFor(h.Running.Size):
		case !was:
			firsts = append(firsts, member)
		case began && slot < newest:
			returns = append(returns, member)
		default:
			stay = append(stay, member)
		}
	}
	open := !m.roster.Sealed
	enough := m.roster.Colluders + 2
	if open || m.p.AcceptLoneChange || len(firsts) >= enough {
		stay = append(stay, firsts...)
	} else {
		firsts = nil
	}
	allowed := open || m.p.OnLoneReturn != HoldLoneReturn && h.Round >= firstLoneReturn
	if allowed || len(firsts)+len(returns) >= enough {
		stay = append(stay, returns...)
	}
	if !open && len(stay) < enough { // with the others' held back, a total would tell of one
		return nil
	}
	slices.Sort(stay)
	return stay
}

// firstLoneReturn is the round from which on the vector of a member that comes back alone
// may be counted: in the start, and the round after it, the change would tell how its rows
// are divided.
const firstLoneReturn = 2

// countedBefore returns whose vectors a running total has counted so far, and the last
// slot that has counted any, if it has begun.
func (m *Machine) countedBefore(h RunningHeader) (counted map[uint32]uint64, newest uint64, began bool) {
	if r := m.totals[h.Key]; r != nil {
		return r.counted, r.newest, r.began
	}
	if from := m.totals[h.From]; from != nil {
		return from.counted, 0, false
	}
	return nil, 0, false
}

// summand returns what this member adds in a view: its vector, of a running total the
// difference from what is counted of it, or zeros where its vector does not count.
func (m *Machine) summand(c *call, members []uint32) []float64 {
	if c.header.Running.Key == "" {
		return c.values
	}
	out := make([]float64, len(c.values))
	if _, in := slices.BinarySearch(m.counts(c.header, members), uint32(m.p.Self)); !in {
		return out
	}
	copy(out, c.values)
	if own := m.totals[c.header.Running.Key].own; own != nil {
		for i, v := range own {
			out[i] -= v
		}
	}
	return out
}

// carryOn makes the running total of a decision's differences. It reports whether this
// member knows the total before.
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
	m.p.quanta(halved(sealed.Blocks), h.Size).round(d.Total)
	for i := range d.Total {
		d.Total[i] += base[i]
	}
	d.Running = &Counted{Key: h.Key, From: h.From, Size: h.Size, Members: m.counts(sealed.Header, sealed.Members)}
	return true
}

// count takes the decision of the slot under way into its running total.
func (m *Machine) count(d *Decision) {
	c := d.Running
	if c == nil {
		return
	}
	m.held = d.Held()
	r := m.totals[c.Key]
	if r == nil {
		r = &runningTotal{from: c.From, size: c.Size, counted: map[uint32]uint64{}}
		if from := m.totals[c.From]; from != nil {
			r.counted = maps.Clone(from.counted)
		}
		m.totals[c.Key] = r
	}
	r.total, r.last, r.began = slices.Clone(d.Total), d.Slot, true // the decision is its caller's
	for _, member := range c.Members {
		r.counted[member], r.newest = d.Slot, d.Slot
	}
	if call := m.slot.call; call != nil && d.Counts(m.p.Self) {
		r.own = call.values
	}
}

// whose returns the members whose vectors of the slot are in the total.
func (d *Decision) whose() []uint32 {
	if d.Running != nil {
		return d.Running.Members
	}
	return d.Members
}

// Held returns the members of a decision whose vectors it has not counted.
func (d *Decision) Held() (members []uint32) {
	for _, member := range d.Members {
		if !d.Counts(int(member)) {
			members = append(members, member)
		}
	}
	return members
}

// same reports whether two decisions have counted the same.
func (c *Counted) same(d *Counted) bool {
	if c == nil || d == nil {
		return c == d
	}
	return c.Key == d.Key && c.From == d.From && c.Size == d.Size && slices.Equal(c.Members, d.Members)
}
