package differencing

import (
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/consensus"
)

// A World is one run on rows of its own. Worlds of one cell have the same task, members and
// faults, so their slots correspond.
type World struct {
	Slots []Slot
	// Rows and Trained hold each member's training rows, as read and in the coordinates of
	// training. NaN marks a missing cell. Trained may be nil.
	Rows, Trained []*mat.Dense
}

// A Slot is one sum of a world.
type Slot struct {
	Number uint64
	Run    int    // 0, or 1 for the run after one that was given up
	Round  uint32 // 0 for the start
	Key    string // that of its running total, or ""
	Blocks []collabdict.Block
	Total  []float64
	// Members are those whose vectors of this slot are in the total.
	Members []uint32
	// Vectors holds the members' vectors, by rank; nil for a member that made no call.
	Vectors [][]float64
}

// holds reports whether a member's vector of this slot is in the total.
func (s *Slot) holds(member int) bool {
	return s.Vectors[member] != nil && slices.Contains(s.Members, uint32(member))
}

// total returns the values of the total, with low words added to those that they belong to.
func (s *Slot) total() []float64 { return raised(slices.Clone(s.Total), lowWords(s.Blocks)) }

// Watch notes the slots of one run. It observes a simulation of a number of members.
type Watch struct {
	mu      sync.Mutex
	members int
	next    uint64 // the lowest slot that is not decided yet
	open    map[uint64]*Slot
	slots   []Slot
}

// NewWatch returns an observer of one run.
func NewWatch(members int) *Watch { return &Watch{members: members, open: map[uint64]*Slot{}} }

// Called notes a member's vector. If a member calls a slot again after a restart, the last
// vector counts.
func (w *Watch) Called(member int, slot uint64, c consensus.Call) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if c.Kind != consensus.Sum || slot < w.next {
		return
	}
	s := w.open[slot]
	if s == nil {
		s = &Slot{Number: slot, Round: c.Round, Key: c.Running.Key, Blocks: slices.Clone(c.Blocks), Vectors: make([][]float64, w.members)}
		w.open[slot] = s
	}
	s.Vectors[member] = slices.Clone(c.Values)
}

// Sent does nothing: what members open is enough.
func (*Watch) Sent(int, int, consensus.Message) {}

// Decided notes a total when the first member has it, and each member's vector in it.
func (w *Watch) Decided(member int, d *consensus.Decision, counted []float64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if d.Slot >= w.next {
		w.note(d)
	}
	for i := range w.slots {
		if s := &w.slots[i]; counted != nil && s.Number == d.Slot && s.holds(member) {
			s.Vectors[member] = slices.Clone(counted)
		}
	}
}

func (w *Watch) note(d *consensus.Decision) {
	w.next = d.Slot + 1
	s := w.open[d.Slot]
	delete(w.open, d.Slot)
	if d.Kind != consensus.Sum || s == nil {
		return
	}
	s.Total = slices.Clone(d.Total)
	s.Members = slices.Clone(d.Members)
	if d.Running != nil {
		s.Members = slices.Clone(d.Running.Members)
	}
	w.slots = append(w.slots, *s)
}

// Slots returns the sums of the run in order.
func (w *Watch) Slots() []Slot { return w.slots }

// parts are the places of the moments of K components in a vector.
type parts struct {
	k, first, second int // components, and values per component of the two moments
	at               int // place of the counts; first moments and second moments follow
}

// partsOf returns the groups of components in a vector with these blocks.
func partsOf(blocks []collabdict.Block) (all []parts) {
	at := 0
	for i := 0; i < len(blocks); {
		moment, n := blocks[i].Moment, 0
		for ; i < len(blocks) && blocks[i].Moment == moment; i++ {
			n += blocks[i].Len
		}
		last := len(all) - 1
		switch {
		case moment == collabdict.Counts && n > 0:
			all = append(all, parts{k: n, at: at})
		case moment == collabdict.FirstMoments && last >= 0 && all[last].end() == at && all[last].first == 0 && n%all[last].k == 0:
			all[last].first = n / all[last].k
		case moment == collabdict.SecondMoments && last >= 0 && all[last].end() == at && all[last].second == 0 && n%all[last].k == 0:
			all[last].second = n / all[last].k
		case moment == collabdict.LowWords:
			return all
		}
		at += n
	}
	return all
}

// end returns the place after the group.
func (p parts) end() int { return p.at + p.k*(1+p.first+p.second) }

// moment returns the place of value i of component c, where value 0 is the count, and the first
// and second moments follow.
func (p parts) moment(i, c int) int { return p.at + i*p.k + c }

// len returns the number of values per component.
func (p parts) len() int { return 1 + p.first + p.second }
