package grouptest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/consensus"
)

// Slot is the record of a decided slot.
type Slot struct {
	Round   int
	Members []int
	Total   []float64 // nil for a Gather
	Running *consensus.Counted
	// Entered holds, for a running total, the vectors that members of the slot have entered. While
	// a member is missing, these may have values that were counted before.
	Entered map[int][]float64
}

// Replay lets the participants of a recorded run compute again in this process, with the same
// members in each slot. It adds their vectors in plain floating point, without the protocol:
// over the view, or for a running total the vectors that were last counted. Participants
// receive the recorded totals. So each slot is compared by itself, and the models have the same
// bits as those of the run.
type Replay struct {
	size  int // of the roster
	exact bool
	log   []Slot

	mu      sync.Mutex
	changed *sync.Cond
	sums    []map[int][]float64 // vectors by slot and member
	blocks  [][]collabdict.Block
	begin   map[string]func([]float64) []float64
	blobs   []map[int][]byte
	apart   []float64
	quanta  float64
	failed  error
}

// NewReplay returns the replay of a run with a scheme and a roster of the given size.
func NewReplay(size int, scheme consensus.Scheme, log []Slot) *Replay {
	r := &Replay{
		size: size, exact: scheme == consensus.Exact || scheme == consensus.BaseK, log: log,
		apart: make([]float64, len(log)), blocks: make([][]collabdict.Block, len(log)), begin: map[string]func([]float64) []float64{},
	}
	r.changed = sync.NewCond(&r.mu)
	for range log {
		r.sums = append(r.sums, map[int][]float64{})
		r.blobs = append(r.blobs, map[int][]byte{})
	}
	return r
}

// Apart returns the largest difference of a slot's recorded total from the plain one, relative
// to its largest value.
func (r *Replay) Apart() float64 { return slices.Max(r.apart) }

// Quanta returns the largest difference of a value of a recorded running total from the plain
// one, in units of the rounding of vectors. It is 0 for a run in floating point.
func (r *Replay) Quanta() float64 { return r.quanta }

// Seat returns a participant's place in the replay, before the given slot.
func (r *Replay) Seat(member, slot int) *Seat { return &Seat{Replay: r, self: member, next: slot} }

// Fail ends the calls of all participants with an error.
func (r *Replay) Fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = errors.Join(r.failed, err)
	r.changed.Broadcast()
}

// Err returns the errors of [Replay.Fail].
func (r *Replay) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failed
}

// wait waits, with r locked, until all members of a slot have called.
func (r *Replay) wait(slot int, brought func() int) error {
	for r.failed == nil && brought() < len(r.log[slot].Members) {
		r.changed.Wait()
	}
	return r.failed
}

func (r *Replay) total(slot int) ([]float64, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.wait(slot, func() int { return len(r.sums[slot]) }); err != nil {
		return nil, err
	}
	of, want := r.sums[slot], r.log[slot].Total
	if c := r.log[slot].Running; c != nil {
		of = r.counted(slot, c)
	}
	sum := r.rounding(slot)
	for m := range r.size {
		x, in := of[m]
		if !in {
			continue
		}
		if len(x) != len(sum) {
			return nil, fmt.Errorf("slot %d: member %d brings %d values, the record has %d", slot, m, len(x), len(sum))
		}
		for i, v := range x {
			sum[i] += v
		}
	}
	r.compare(slot, want, sum)
	return slices.Clone(want), nil
}

func (r *Replay) compare(slot int, got, want []float64) {
	var size, worst float64
	for i, w := range want {
		size = max(size, math.Abs(w))
		worst = max(worst, math.Abs(got[i]-w))
	}
	if worst > 0 {
		r.apart[slot] = worst / size
	}
	if r.log[slot].Running == nil || !r.exact {
		return
	}
	units := r.units(slot)
	for i, w := range want {
		r.quanta = max(r.quanta, math.Abs(got[i]-w)/units[i])
	}
}

// counted returns the vector of each member that a running total counted last, up to a slot. A
// member that missed all its slots counts with the vector carried over from the total before,
// or from several totals in turn.
func (r *Replay) counted(slot int, c *consensus.Counted) map[int][]float64 {
	last := map[int][]float64{}
	if from := r.last(c.From, r.first(c.Key)); c.From != "" && from >= 0 {
		for m, own := range r.counted(from, r.log[from].Running) {
			last[m] = r.rounded(slot, r.begin[c.Key](own))
		}
	}
	for at := range slot + 1 {
		if d := r.log[at].Running; d != nil && d.Key == c.Key {
			for _, m := range d.Members {
				now, before := r.rounded(slot, r.sums[at][int(m)]), last[int(m)]
				for i, v := range r.log[at].Entered[int(m)] {
					if v != now[i] && before != nil && v == before[i] {
						now[i] = v
					}
				}
				last[int(m)] = now
			}
		}
	}
	return last
}

// rounding returns the rounding error of a running total that began as another one: the
// difference between the rounded total and the sum of the rounded vectors. It stays in the
// total. For other totals it is 0.
func (r *Replay) rounding(slot int) []float64 {
	out := make([]float64, len(r.log[slot].Total))
	c := r.log[slot].Running
	if c == nil || c.From == "" || !r.exact {
		return out
	}
	last := r.last(c.From, r.first(c.Key))
	copy(out, r.rounded(slot, r.begin[c.Key](r.log[last].Total)))
	for _, x := range r.counted(last, r.log[last].Running) {
		for i, v := range r.rounded(slot, r.begin[c.Key](x)) {
			out[i] -= v
		}
	}
	return out
}

// first returns the first slot of a running total.
func (r *Replay) first(key string) int {
	return slices.IndexFunc(r.log, func(s Slot) bool { return s.Running != nil && s.Running.Key == key })
}

// last returns the last slot of a running total before a slot, or -1 if there is none.
func (r *Replay) last(key string, before int) int {
	for before--; before >= 0; before-- {
		if d := r.log[before].Running; d != nil && d.Key == key {
			break
		}
	}
	return before
}

// units returns the units to which the values of a slot's vectors are rounded. A total is below
// 2^52 units.
func (r *Replay) units(slot int) (units []float64) {
	for _, b := range r.blocks[slot] {
		_, exp := math.Frexp(b.Bound * float64(max(16, 2*r.log[slot].Running.Size)))
		units = append(units, slices.Repeat([]float64{math.Ldexp(1, exp-52)}, b.Len)...)
	}
	return units
}

// rounded returns a vector as the running total of a slot counts it.
func (r *Replay) rounded(slot int, x []float64) []float64 {
	if !r.exact {
		return x
	}
	x = slices.Clone(x)
	for i, u := range r.units(slot) {
		x[i] = math.RoundToEven(x[i]/u) * u
	}
	return x
}

// Seat is a participant's place in a replay.
type Seat struct {
	collabdict.Whole
	*Replay
	self     int
	next     int // slot
	included bool
}

var _ collabdict.Group = (*Seat)(nil)

// Over reports whether the participant is at the end of the record.
func (s *Seat) Over() bool { return s.next == len(s.log) }

// take returns the slot of the next call, and reports whether the participant is in it.
func (s *Seat) take() (slot int, in bool, err error) {
	if s.Over() {
		return 0, false, errors.New("more calls than the record has slots")
	}
	slot = s.next
	s.next++
	return slot, slices.Contains(s.log[slot].Members, s.self), nil
}

// Membership implements [collabdict.Group].
func (s *Seat) Membership() collabdict.Membership {
	return collabdict.Membership{Size: len(s.log[max(0, s.next-1)].Members), Included: s.included, Steady: s.steady()}
}

// Sum implements [collabdict.Group].
func (s *Seat) Sum(_ context.Context, of collabdict.Summand) ([]float64, error) {
	r := of.Running
	if r.Key == "" {
		return s.sum(of.Values, of.Blocks)
	}
	s.mu.Lock()
	s.begin[r.Key] = r.Begin
	s.mu.Unlock()
	total, err := s.sum(of.Values, of.Blocks)
	if c := s.log[s.next-1].Running; err == nil && (c == nil || c.Key != r.Key) {
		return nil, fmt.Errorf("slot %d is not of the running total %q", s.next-1, r.Key)
	} else if err == nil {
		s.included = slices.Contains(c.Members, uint32(s.self))
	}
	return total, err
}

func (s *Seat) sum(x []float64, blocks []collabdict.Block) ([]float64, error) {
	if err := collabdict.CheckBlocks(x, blocks); err != nil {
		return nil, err
	}
	slot, in, err := s.take()
	if err != nil {
		return nil, err
	}
	if s.included = in; in {
		s.mu.Lock()
		s.sums[slot][s.self], s.blocks[slot] = slices.Clone(x), slices.Clone(blocks)
		s.changed.Broadcast()
		s.mu.Unlock()
	}
	return s.total(slot)
}

// steady reports whether the last total is comparable with the one before.
func (s *Seat) steady() (steady bool) {
	var all consensus.Steadiness
	for _, r := range s.log[:s.next] {
		if r.Total != nil {
			d := &consensus.Decision{Round: uint32(r.Round), Running: r.Running}
			for _, m := range r.Members {
				d.Members = append(d.Members, uint32(m))
			}
			steady = all.Add(d)
		}
	}
	return steady
}

// Gather implements [collabdict.Group].
func (s *Seat) Gather(_ context.Context, _ collabdict.Entry, blob []byte) ([][]byte, error) {
	slot, in, err := s.take()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if in {
		s.blobs[slot][s.self] = append([]byte{}, blob...)
		s.changed.Broadcast()
	}
	if err := s.wait(slot, func() int { return len(s.blobs[slot]) }); err != nil {
		return nil, err
	}
	all := make([][]byte, s.size)
	for m, b := range s.blobs[slot] {
		all[m] = b
	}
	return all, nil
}

// TakeMissed implements [collabdict.Group].
func (s *Seat) TakeMissed() ([]float64, bool) {
	if s.Over() || slices.Contains(s.log[s.next].Members, s.self) {
		return nil, false
	}
	total, err := s.total(s.next)
	if err != nil {
		return nil, false
	}
	s.next++
	s.included = false
	return total, true
}

// TakeDecided implements [collabdict.Group].
func (s *Seat) TakeDecided() ([]float64, bool) { return s.TakeMissed() }
