package attack

import (
	"cmp"
	"maps"
	"slices"

	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/privacy/exposure"
)

// Book holds the public facts of a run: its settings and their consequences.
type Book struct {
	settings consensus.Settings
	rules    consensus.Rules
	plans    *consensus.Plans
	traces   map[[32]byte]*exposure.Trace // traces by the digest of the plan
}

// NewBook returns the book of a run with a roster of the given size.
func NewBook(s consensus.Settings, size int) *Book {
	return &Book{settings: s, rules: s.Rules(size), plans: consensus.NewPlans(s), traces: map[[32]byte]*exposure.Trace{}}
}

// residues returns the vectors that members have entered in the sessions, by member and session. A
// vector is nil if it does not follow from the frames seen.
func (b *Book) residues(a *Attempt, layout *chunking.Layout) map[int][][]uint64 {
	t := b.trace(len(a.Members), layout.Words())
	found := map[int][][]uint64{}
	lanes, _ := b.settings.Lanes()
	for _, s := range a.Members {
		found[s] = make([][]uint64, lanes)
	}
	for lane, frames := range a.Lanes {
		labels := consensus.Labels(a.Run, a.Chain, a.Slot, a.Ballot, lane, a.Members)
		for vertex, words := range b.invert(t, frames, labels, layout.Words()) {
			found[labels[vertex]][lane] = words
		}
	}
	return found
}

func (b *Book) trace(size, words int) *exposure.Trace {
	p, err := b.plans.For(size)
	if err != nil {
		panic("attack: " + err.Error()) // the run has used this view
	}
	plan := p.Session(words)
	if b.traces[plan.Digest()] == nil {
		b.traces[plan.Digest()] = exposure.NewTrace(plan, b.settings.Arithmetic())
	}
	return b.traces[plan.Digest()]
}

// invert returns the vectors that follow from the frames, by vertex.
func (b *Book) invert(t *exposure.Trace, frames Frames, labels []int, words int) map[int][]uint64 {
	limbs := exposure.Limbs(b.settings.Arithmetic())
	seen := observed(t, frames, labels, words, limbs)
	whole := map[int][]uint64{}
	for cell := range t.Cells {
		found := b.solve(seen[cell], t.Size)
		from, to := t.Bounds(cell, words, limbs)
		for vertex := range t.Size {
			y, known := found[vertex]
			switch {
			case from == to:
			case !known:
				delete(whole, vertex)
			case from == 0:
				whole[vertex] = y
			case whole[vertex] != nil:
				whole[vertex] = append(whole[vertex], y...)
			}
		}
	}
	for vertex, y := range whole {
		if len(y) != words {
			delete(whole, vertex)
		}
	}
	return whole
}

// observation holds the frames seen of one cell: combinations and their values.
type observation struct {
	weights [][]uint64
	data    [][]uint64
}

// observed returns the observations of each cell; it keeps equal combinations once.
func observed(t *exposure.Trace, frames Frames, labels []int, words, limbs int) []observation {
	vertex := map[int]int{}
	for v, member := range labels {
		vertex[member] = v
	}
	seen := make([]observation, t.Cells)
	known := map[*uint64]bool{}
	for _, k := range slices.SortedFunc(maps.Keys(frames), compareFrames) {
		data := frames[k]
		at := 0
		for _, p := range t.Frames[exposure.FrameKey{From: vertex[k.From], To: vertex[k.To], Round: k.Round, Part: k.Part}] {
			from, to := t.Bounds(p.Cell, words, limbs)
			end := at + to - from
			if end > len(data) {
				break // the frame is not part of this session
			}
			if !known[&p.Weights[0]] && end > at {
				known[&p.Weights[0]] = true
				o := &seen[p.Cell]
				o.weights, o.data = append(o.weights, p.Weights), append(o.data, data[at:end])
			}
			at = end
		}
	}
	return seen
}

func compareFrames(a, b exposure.FrameKey) int {
	return cmp.Or(cmp.Compare(a.Round, b.Round), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), cmp.Compare(a.Part, b.Part))
}

// solve returns the vectors that follow from an observation, by vertex.
func (b *Book) solve(o observation, size int) map[int][]uint64 {
	found := map[int][]uint64{}
	if len(o.weights) == 0 {
		return found
	}
	a := b.settings.Arithmetic()
	if a == chunking.Float {
		for v, weights := range solveFloat(o.weights, size) {
			found[v] = mixFloat(weights, o.data)
		}
		return found
	}
	for v, weights := range solveExact(a, o.weights) {
		found[v] = mixExact(a, weights, o.data)
	}
	return found
}
