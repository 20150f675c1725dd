package attack

import (
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/privacy/exposure"
)

// Coalition returns t members of a roster that work together, in rank order, drawn with a seed.
func Coalition(seed uint64, size, t int) []int {
	b := binary.BigEndian.AppendUint64([]byte("collabdict/coalition/1"), seed)
	members := rand.New(rand.NewChaCha8(sha256.Sum256(b))).Perm(size)[:t]
	slices.Sort(members)
	return members
}

// Recorder collects what a coalition learns during a run. It recovers what it can from each
// sum, and compares that with the members' vectors.
type Recorder struct {
	// Show, if not nil, is called at the end of a slot for every attempt at a sum that the
	// coalition knows.
	Show func(a *Attempt, decided *consensus.Decision)

	book      *Book
	run       [32]byte
	size      int
	coalition []int
	slots     map[uint64]*slot
	last      *consensus.Decision // decision of the slot before those in slots
	done      uint64              // slots looked at
	recovered map[int]bool        // members whose vector was recovered in any round
	sums      int
	hits      int
}

// slot is a slot that has not been attacked yet.
type slot struct {
	call     consensus.Call // call of one member of the coalition
	vectors  map[int][]float64
	attempts map[uint32]*Attempt
	views    map[uint32][]int
	decision *consensus.Decision
}

// NewRecorder returns the recorder of a coalition in a run.
func NewRecorder(s consensus.Settings, run [32]byte, size int, coalition []int) *Recorder {
	return &Recorder{
		book: NewBook(s, size), run: run, size: size, coalition: coalition,
		slots: map[uint64]*slot{}, recovered: map[int]bool{},
	}
}

func (r *Recorder) slot(number uint64) *slot {
	if r.slots[number] == nil {
		r.slots[number] = &slot{vectors: map[int][]float64{}, attempts: map[uint32]*Attempt{}, views: map[uint32][]int{}}
	}
	return r.slots[number]
}

func (r *Recorder) inside(member int) bool { return slices.Contains(r.coalition, member) }

// Called notes a call: the blocks of the sum for members of the coalition, and the vector for
// all others, to compare with.
func (r *Recorder) Called(member int, number uint64, c consensus.Call) {
	if number < r.done || c.Kind != consensus.Sum {
		return
	}
	s := r.slot(number)
	s.vectors[member] = slices.Clone(c.Values)
	if r.inside(member) {
		s.call = consensus.Call{Kind: c.Kind, Round: c.Round, Blocks: c.Blocks}
	}
}

// Sent notes a message that the coalition sends or receives.
func (r *Recorder) Sent(from, to int, m consensus.Message) {
	if !r.inside(from) && !r.inside(to) || m.Slot < r.done {
		return
	}
	s := r.slot(m.Slot)
	switch b := m.Body.(type) {
	case *consensus.View:
		if b.Finish == nil {
			s.views[b.Ballot] = ranks(b.Members)
		}
	case *consensus.Seeds:
		s.attempt(m.Ballot).Seeds[Edge{from, to}] = b
	case *consensus.Step:
		a := s.attempt(m.Ballot)
		for len(a.Lanes) <= int(b.Lane) {
			a.Lanes = append(a.Lanes, Frames{})
		}
		a.Lanes[b.Lane][exposure.FrameKey{From: from, To: to, Round: int(b.Round), Part: int(b.Part)}] = b.Words
	case *consensus.Pads:
		for _, p := range b.Pads {
			s.attempt(m.Ballot).Pads[int(p.Member)] = p.Seed
		}
	case *consensus.Shares:
		a := s.attempt(m.Ballot)
		for _, p := range b.Shares {
			of := func(x chunking.Share) bool { return x.X == p.Share.X }
			if known := a.Shares[int(p.Member)]; !slices.ContainsFunc(known, of) {
				a.Shares[int(p.Member)] = append(known, p.Share)
			}
		}
	}
}

func (s *slot) attempt(ballot uint32) *Attempt {
	if s.attempts[ballot] == nil {
		s.attempts[ballot] = &Attempt{
			Ballot: ballot, Seeds: map[Edge]*consensus.Seeds{}, Pads: map[int][32]byte{}, Shares: map[int][]chunking.Share{},
		}
	}
	return s.attempts[ballot]
}

// Decided notes a decision and attacks the slots before it: the coalition gets nothing more
// about them.
func (r *Recorder) Decided(member int, d *consensus.Decision, _ []float64) {
	if !r.inside(member) || d.Slot < r.done {
		return
	}
	r.slot(d.Slot).decision = d
	r.look(d.Slot)
}

// Finish attacks the remaining slots when the run is over.
func (r *Recorder) Finish() {
	if len(r.slots) > 0 {
		r.look(slices.Max(slices.Collect(maps.Keys(r.slots))) + 1)
	}
}

// look attacks the slots before the given one, in order.
func (r *Recorder) look(before uint64) {
	for ; r.done < before; r.done++ {
		s := r.slot(r.done)
		if d := s.decision; d != nil && d.Kind == consensus.Sum {
			r.sums++
			attempts := r.attempts(r.done, s)
			for _, ballot := range slices.Sorted(maps.Keys(attempts)) {
				r.compare(s, r.book.Recover(attempts[ballot], r.coalition))
				if r.Show != nil {
					r.Show(attempts[ballot], d)
				}
			}
		}
		r.last = s.decision
		delete(r.slots, r.done)
	}
}

// attempts completes the coalition's attempts at a slot with facts that follow from the slots
// before.
func (r *Recorder) attempts(number uint64, s *slot) map[uint32]*Attempt {
	for ballot, a := range s.attempts {
		a.Run, a.Slot, a.Blocks = r.run, number, s.call.Blocks
		a.Members = s.views[ballot]
		switch {
		case ballot > 0:
		case r.last != nil:
			a.Members = ranks(r.last.Members)
		default:
			a.Members = make([]int, r.size)
			for i := range a.Members {
				a.Members[i] = i
			}
		}
		if r.last != nil {
			a.Chain = r.last.Chain
		}
	}
	return s.attempts
}

// compare counts the recovered vectors that equal the members' vectors.
func (r *Recorder) compare(s *slot, found map[int][]float64) {
	for member, x := range found {
		if close(x, s.vectors[member]) {
			r.recovered[member] = true
			r.hits++
		}
	}
}

// accuracy is the greatest relative error of a vector that counts as recovered.
const accuracy = 1e-3

func close(x, truth []float64) bool {
	if len(x) != len(truth) {
		return false
	}
	var off, norm float64
	for i, v := range truth {
		off += (x[i] - v) * (x[i] - v)
		norm += v * v
	}
	return math.Sqrt(off) <= accuracy*math.Sqrt(norm)
}

// Members returns the coalition.
func (r *Recorder) Members() []int { return r.coalition }

// Breached returns the share of the other members with a vector that the coalition has
// recovered in any round, with a relative error of at most 1e-3.
func (r *Recorder) Breached() float64 {
	return float64(len(r.recovered)) / float64(r.size-len(r.coalition))
}

// PerSum returns the mean share of the other members' vectors that the coalition recovers from
// a sum.
func (r *Recorder) PerSum() float64 {
	if r.sums == 0 {
		return 0
	}
	return float64(r.hits) / float64(r.sums*(r.size-len(r.coalition)))
}

func ranks(members []uint32) []int {
	r := make([]int, len(members))
	for i, m := range members {
		r[i] = int(m)
	}
	return r
}
