package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/pipeline"
	"github.com/collabdict/collabdict/internal/store"
	"github.com/collabdict/collabdict/model"
)

// slotRecord is what a member's folder says of a decided slot.
type slotRecord struct {
	round   int
	members []int
	missing []consensus.Missing
	digest  [32]byte
	chain   [32]byte
	total   []float64
	running *consensus.Counted
}

// readLog returns the decisions that a member has on disk, by slot, but for those
// that amend the roster.
func readLog(t *testing.T, dir string) (log []slotRecord) {
	t.Helper()
	s, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	j, err := s.Last()
	if err != nil || j == nil {
		t.Fatalf("%s: no run: %v", dir, err)
	}
	amendments := 0
	err = j.Each(func(d *consensus.Decision) error {
		if d.Slot != uint64(len(log)+amendments) {
			return fmt.Errorf("slot %d after %d slots", d.Slot, len(log)+amendments)
		}
		if d.Kind == consensus.Amend {
			amendments++
			return nil
		}
		r := slotRecord{
			round: int(d.Round), missing: slices.Clone(d.Missing),
			digest: d.Digest, chain: d.Chain, total: slices.Clone(d.Total), running: d.Running,
		}
		for _, m := range d.Members {
			r.members = append(r.members, int(m))
		}
		log = append(log, r)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return log
}

// table adds up in plain floating point, over the members that a record lists for
// each slot, what participants in this process bring. Nothing of the protocol is
// in it.
type table struct {
	size int // of the roster
	log  []slotRecord

	mu      sync.Mutex
	changed *sync.Cond
	sums    []map[int][]float64 // by slot and member
	begin   map[string]func([]float64) []float64
	blobs   []map[int][]byte
	apart   []float64 // how far the recorded total of each slot is from the plain one
	failed  error
}

func newTable(size int, log []slotRecord) *table {
	t := &table{size: size, log: log, apart: make([]float64, len(log)), begin: map[string]func([]float64) []float64{}}
	t.changed = sync.NewCond(&t.mu)
	for range log {
		t.sums = append(t.sums, map[int][]float64{})
		t.blobs = append(t.blobs, map[int][]byte{})
	}
	return t
}

func (t *table) fail(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.failed = errors.Join(t.failed, err)
	t.changed.Broadcast()
}

// wait waits with the table locked until all members of a slot have brought what
// is counted.
func (t *table) wait(slot int, brought func() int) error {
	for t.failed == nil && brought() < len(t.log[slot].members) {
		t.changed.Wait()
	}
	return t.failed
}

func (t *table) total(slot int) ([]float64, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.wait(slot, func() int { return len(t.sums[slot]) }); err != nil {
		return nil, err
	}
	of := t.sums[slot]
	if c := t.log[slot].running; c != nil {
		of = t.counted(slot, c)
	}
	sum := make([]float64, len(t.log[slot].total))
	for m := range t.size {
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
	t.apart[slot] = apart(t.log[slot].total, sum)
	return sum, nil
}

// counted returns the last vector of each member that a running total has counted, up to a
// slot.
func (t *table) counted(slot int, c *consensus.Counted) map[int][]float64 {
	last := map[int][]float64{}
	for at := range slot + 1 {
		d := t.log[at].running
		switch {
		case d == nil:
		case d.Key == c.Key:
			for _, m := range d.Members {
				last[int(m)] = t.sums[at][int(m)]
			}
		case d.Key == c.From && at < t.first(c.Key):
			for _, m := range d.Members {
				last[int(m)] = t.begin[c.Key](t.sums[at][int(m)])
			}
		}
	}
	return last
}

// first returns the first slot of a running total.
func (t *table) first(key string) int {
	return slices.IndexFunc(t.log, func(r slotRecord) bool { return r.running != nil && r.running.Key == key })
}

// seat is a participant's place at the table.
type seat struct {
	*table
	self     int
	next     int // slot
	included bool
}

var (
	_ collabdict.Group    = (*seat)(nil)
	_ collabdict.Absentee = (*seat)(nil)
)

// take returns the slot of the next call, and whether the participant is in it.
func (s *seat) take() (slot int, in bool, err error) {
	if s.next == len(s.log) {
		return 0, false, errors.New("more calls than the record has slots")
	}
	slot = s.next
	s.next++
	return slot, slices.Contains(s.log[slot].members, s.self), nil
}

func (s *seat) Size() int { return len(s.log[max(0, s.next-1)].members) }

func (s *seat) Sum(_ context.Context, x []float64, blocks []collabdict.Block) ([]float64, error) {
	if err := collabdict.CheckBlocks(x, blocks); err != nil {
		return nil, err
	}
	slot, in, err := s.take()
	if err != nil {
		return nil, err
	}
	if s.included = in; in {
		s.mu.Lock()
		s.sums[slot][s.self] = slices.Clone(x)
		s.changed.Broadcast()
		s.mu.Unlock()
	}
	return s.total(slot)
}

// Accumulate brings a vector to a running total.
func (s *seat) Accumulate(ctx context.Context, r collabdict.Running, x []float64, blocks []collabdict.Block) ([]float64, error) {
	s.mu.Lock()
	s.begin[r.Key] = r.Begin
	s.mu.Unlock()
	total, err := s.Sum(ctx, x, blocks)
	if c := s.log[s.next-1].running; err == nil && (c == nil || c.Key != r.Key) {
		return nil, fmt.Errorf("slot %d is not of the running total %q", s.next-1, r.Key)
	} else if err == nil {
		s.included = slices.Contains(c.Members, uint32(s.self))
	}
	return total, err
}

// Steady reports whether the last sum has counted the same members as the sum before.
func (s *seat) Steady() bool {
	var whose [][]uint32
	for at := s.next - 1; at >= 0 && len(whose) < 2; at-- {
		r := s.log[at]
		if r.total == nil {
			continue
		}
		of := []uint32{}
		for _, m := range r.members {
			of = append(of, uint32(m))
		}
		if r.running != nil {
			of = r.running.Members
		}
		whose = append(whose, of)
	}
	return len(whose) == 2 && slices.Equal(whose[0], whose[1])
}

func (s *seat) Gather(_ context.Context, blob []byte) ([][]byte, error) {
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

func (s *seat) TakeMissed() ([]float64, bool) {
	if s.next == len(s.log) || slices.Contains(s.log[s.next].members, s.self) {
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

func (s *seat) Included() bool { return s.included }

// labelSlots are the slots at the beginning that deal labels for the sums, which a
// plain sum has no use for.
const labelSlots = 2

// refit trains all participants of a consortium in this process over plain sums,
// with who was in according to the record, and returns their models.
func refit(t *testing.T, out string, names []string, log []slotRecord) ([]*model.Model, *table) {
	t.Helper()
	shared := newTable(len(names), log)
	results, errs := make([]*pipeline.Result, len(names)), make([]error, len(names))
	var running sync.WaitGroup
	for i, name := range names {
		c, _, err := (&runFlags{dir: filepath.Join(out, name)}).fromFolder(new(cobra.Command))
		if err != nil {
			t.Fatal(err)
		}
		running.Go(func() {
			group := &seat{table: shared, self: i, next: labelSlots}
			if results[i], errs[i] = c.Task.Train(t.Context(), group, c.Data, nil, nil); errs[i] != nil {
				shared.fail(errs[i])
			} else if group.next != len(log) {
				shared.fail(fmt.Errorf("%d calls, the record has %d slots", group.next, len(log)))
			}
		})
	}
	running.Wait()
	if shared.failed != nil {
		t.Fatalf("a plain fit over who was in: %v", shared.failed)
	}
	models := make([]*model.Model, len(names))
	for i, r := range results {
		models[i] = r.Model
	}
	return models, shared
}

// deviation returns how far a member's model is from the reference: the
// largest difference of any mean, precision or weight, relative to the largest
// entry of that vector or matrix.
func deviation(got, want *model.Model) float64 {
	g, w := mixtureOf(got), mixtureOf(want)
	if g.Components() != w.Components() || g.Dim() != w.Dim() {
		return math.Inf(1)
	}
	worst := apart(g.Weights(), w.Weights())
	for k := range w.Components() {
		worst = max(worst, apart(g.Means().RawRowView(k), w.Means().RawRowView(k)))
		worst = max(worst, apart(mat.DenseCopyOf(g.Precision(k)).RawMatrix().Data, mat.DenseCopyOf(w.Precision(k)).RawMatrix().Data))
	}
	return worst
}

func apart(got, want []float64) float64 {
	var size, worst float64
	for i, w := range want {
		size = max(size, math.Abs(w))
		worst = max(worst, math.Abs(got[i]-w))
	}
	if worst == 0 {
		return 0
	}
	return worst / size
}
