package differencing

import (
	"slices"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/consensus"
)

// Recorder notes the counts and first moments of every total. It observes a simulation; every
// member could do the same.
type Recorder struct {
	blocks map[uint64][]collabdict.Block // blocks of sums under way, by slot
	next   uint64                        // lowest slot not yet decided
	totals []total
}

// total holds what a sum reveals.
type total struct {
	round  uint32 // 0 for the start
	groups []group
	// views are the members that an observer would assign to each group: those whose vectors of
	// the slot are in it.
	views [][]uint32
}

// group holds the counts and first moments of components that share a partition of the rows.
type group struct {
	dim   int
	n     []float64 // K
	first []float64 // K by dim
}

// NewRecorder returns a recorder of one run.
func NewRecorder() *Recorder { return &Recorder{blocks: map[uint64][]collabdict.Block{}} }

// Called notes the blocks of a vector.
func (r *Recorder) Called(_ int, slot uint64, c consensus.Call) {
	if c.Kind == consensus.Sum && slot >= r.next && r.blocks[slot] == nil {
		r.blocks[slot] = slices.Clone(c.Blocks)
	}
}

// Sent does nothing: totals are enough.
func (*Recorder) Sent(int, int, consensus.Message) {}

// Decided notes a total when the first member has it.
func (r *Recorder) Decided(_ int, d *consensus.Decision) {
	if d.Slot < r.next {
		return
	}
	r.next = d.Slot + 1
	blocks := r.blocks[d.Slot]
	delete(r.blocks, d.Slot)
	if d.Kind != consensus.Sum {
		return
	}
	if groups := split(d.Total, blocks); groups != nil {
		t := total{round: d.Round, groups: groups}
		for range groups {
			t.views = append(t.views, d.Members)
		}
		r.totals = append(r.totals, t)
	}
}

// split returns the counts and first moments in a vector.
func split(x []float64, blocks []collabdict.Block) (groups []group) {
	var counts []float64
	x, blocks = joined(x, blocks)
	for len(blocks) > 0 {
		moment, n := blocks[0].Moment, 0
		for len(blocks) > 0 && blocks[0].Moment == moment {
			n += blocks[0].Len
			blocks = blocks[1:]
		}
		values := x[:n]
		x = x[n:]
		switch {
		case moment == collabdict.Counts:
			counts = values
		case moment == collabdict.FirstMoments && len(counts) > 0 && n%len(counts) == 0:
			groups = append(groups, newGroup(counts, values))
			counts = nil
		}
	}
	return groups
}

// joined returns values with their low words added, and without the blocks of low words.
func joined(x []float64, blocks []collabdict.Block) ([]float64, []collabdict.Block) {
	i := slices.IndexFunc(blocks, func(b collabdict.Block) bool { return b.Moment == collabdict.LowWords })
	if i < 0 {
		return x, blocks
	}
	x = slices.Clone(x)
	n := len(x) / 2
	for j, low := range x[n:] {
		x[j] += low
	}
	return x[:n], blocks[:i]
}

func newGroup(counts, firsts []float64) group {
	k := len(counts)
	g := group{dim: len(firsts) / k, n: slices.Clone(counts), first: make([]float64, len(firsts))}
	for i := range g.dim {
		for c := range k {
			g.first[c*g.dim+i] = firsts[i*k+c]
		}
	}
	return g
}
