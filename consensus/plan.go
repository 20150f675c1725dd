package consensus

import (
	"math"
	"slices"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus/graph"
	"github.com/collabdict/collabdict/consensus/session"
)

// Plans holds the plans of the settings for views of any size. Each plan is computed once.
// Plans are not safe for concurrent use.
type Plans struct {
	Repeated Repeated // may be nil

	settings Settings
	roster   int // largest size requested; smaller sizes are views of that roster
	bySize   map[int]*Plan
	seats    []*seats

	all       *View // of the roster
	committee []int // of the roster that drawn names
	drawn     drawn
	layouts   []sharedLayout
	public    publicState
}

// A drawn names a roster that a committee was drawn from.
type drawn struct {
	run      [32]byte
	revision uint32
	size     int
}

// A Plan holds what follows from the settings for views of one size.
type Plan struct {
	size   int
	Fanout int // members that each member deals a chunk to; 0 without such chunks
	// Laplacian is the plan of floating-point sessions; nil in other schemes.
	Laplacian *session.Laplacian
	settings  Settings
	baseK     session.Plan
	exact     *session.Exact
	pads      *session.Exact
}

// NewPlans returns the plans of the settings.
func NewPlans(s Settings) *Plans {
	return &Plans{settings: s.withDefaults(), bySize: map[int]*Plan{}}
}

// For returns the plan for a view of the given size.
func (p *Plans) For(size int) (*Plan, error) {
	if plan := p.bySize[size]; plan != nil {
		return plan, nil
	}
	p.roster = max(p.roster, size)
	s := p.settings
	plan := &Plan{size: size, settings: s}
	if s.Protect == chunking.Chunks {
		plan.Fanout = chunking.Fanout(size, s.Chunks)
	}
	var err error
	switch s.Scheme {
	case Laplacian:
		// The sessions have to remove the disagreement of the residues.
		reach := s.Tolerance / plan.spread()
		if plan.Laplacian, err = session.NewLaplacian(size, s.Step, s.Graph, s.Degree, reach); err != nil && p.roster > size {
			// Some kinds have no graph for the sizes to which a view may shrink.
			plan.Laplacian, err = session.NewLaplacian(size, s.Step, graph.HamiltonCycles, s.Degree, reach)
		}
	case BaseK:
		plan.baseK, err = session.NewBaseK(size, s.Fan)
	default:
		plan.exact, err = session.NewExact(size, s.Fan, s.arithmetic())
	}
	if err != nil {
		return nil, err
	}
	p.bySize[size] = plan
	return plan, nil
}

// plan returns the plan for a view whose size has been checked.
func (p *Plans) plan(size int) *Plan {
	plan, err := p.For(size)
	if err != nil {
		panic("consensus: " + err.Error())
	}
	return plan
}

// Session returns the plan for sessions of vectors with the given number of words.
func (p *Plan) Session(words int) session.Plan {
	switch {
	case p.Laplacian != nil:
		return p.Laplacian
	case p.baseK != nil:
		return p.baseK
	}
	return p.exact.For(words)
}

// unmasking returns the plan for sums of pads with the given number of words.
func (p *Plan) unmasking(words int) session.Plan {
	if p.pads == nil {
		a := p.settings.arithmetic()
		if a == chunking.Float {
			a = chunking.Ring // Float adds its units as in the ring
		}
		var err error
		if p.pads, err = session.NewExact(p.size, 1, a); err != nil {
			panic("consensus: " + err.Error()) // size and arithmetic have been checked
		}
	}
	return p.pads.For(words)
}

// Rounds returns the number of rounds of a session of short vectors.
func (p *Plan) Rounds() int { return p.Session(1).Rounds() }

// Sends returns the mean number of words that a member sends for a sum of the given number of
// words, including the sealer's result in floating point. It simulates sessions of short
// vectors.
func (p *Plan) Sends(words int) float64 {
	plan, short := p.Session(words), 2*p.size // blocks of the vector then have equal lengths
	seat := session.Placement{Members: make([]int, p.size)}
	for i := range seat.Members {
		seat.Members[i] = i
	}
	sessions := make([]session.Session, p.size)
	for i := range sessions {
		seat.Self, seat.Guess = i, i
		sessions[i] = plan.New(seat, make([]uint64, short))
	}
	traffic, err := session.Lockstep(sessions, nil)
	if err != nil {
		panic("consensus: " + err.Error())
	}
	sent := 0
	for _, n := range traffic.Words {
		sent += p.settings.lanes() * n
	}
	if p.Laplacian != nil {
		sent += (p.size - 1) * short
	}
	return float64(sent) / float64(p.size*short) * float64(words)
}

// spread returns the standard deviation of a masked vector in units of chunking.Scale. Without
// masks it returns 1, the bound itself.
func (p *Plan) spread() float64 {
	masks := 2 * p.Fanout
	switch p.settings.Protect {
	case chunking.None:
		return 1
	case chunking.Sessions:
		masks = p.settings.lanes() // in the lane that holds the remainder
	}
	return chunking.Deviation * math.Sqrt(float64(masks+1)) // plus 1 for the pad
}

// tolerated returns the largest difference between two members' results for values of a block
// with the given bound.
func (p *Plan) tolerated(bound float64) float64 {
	lanes := math.Sqrt(float64(p.settings.lanes()))
	return lanes * p.Laplacian.Tolerance(p.spread()*chunking.Scale(bound))
}

// Values that are the same for all members with these Plans, and expensive in large rosters, are
// computed once.

// everybody returns the view of ballot 0 with all members of a roster.
func (p *Plans) everybody(r Rules) *View {
	if p.all == nil || r.ranks != nil || len(p.all.Members) != r.Size {
		p.all = &View{}
		for i := range r.Size {
			p.all.Members = append(p.all.Members, uint32(r.rank(i)))
		}
	}
	return p.all
}

// committeeOf returns the committee of a run's roster, or nil if all members vote.
func (p *Plans) committeeOf(run [32]byte, revision uint32, r Rules) []int {
	if from := (drawn{run, revision, r.Size}); p.committee == nil || p.drawn != from {
		p.committee, p.drawn = committee(run, revision, r), from
	}
	return p.committee
}

// A sharedLayout is a layout and the blocks that it was made for.
type sharedLayout struct {
	size   int
	blocks []collabdict.Block
	layout *chunking.Layout
}

func (p *Plans) layout(size int, blocks []collabdict.Block) (*chunking.Layout, error) {
	for _, x := range p.layouts {
		if x.size == size && slices.Equal(x.blocks, blocks) {
			return x.layout, nil
		}
	}
	l, err := chunking.NewLayout(p.settings.arithmetic(), size, blocks)
	if err != nil {
		return nil, err
	}
	p.layouts = keepLast(p.layouts, sharedLayout{size, slices.Clone(blocks), l})
	return l, nil
}

// Repeated finds values that another member in the same process has computed already. A simulation of
// many members implements it; a member alone needs none.
type Repeated interface {
	// Sealed returns the digest of a sum's sealed result, and the equal result of another member if
	// there is one, to share its memory. The function digest computes the digest.
	Sealed(run [32]byte, slot uint64, s *Sealed, digest func() [32]byte) (*Sealed, [32]byte)
	// Chain returns the hash over all decisions up to d, where before is that of the last one. The
	// function chain computes it.
	Chain(before, run [32]byte, d *Decision, chain func() [32]byte) [32]byte
	// Sums finds vectors that members of a session add up in the same way.
	session.Sums
}

// sums returns where sessions find sums of other members in the process, or nil.
func (p *Plans) sums() session.Sums {
	if p.Repeated == nil {
		return nil
	}
	return p.Repeated
}

func (p *Plans) digestOf(run [32]byte, slot uint64, s *Sealed) (*Sealed, [32]byte) {
	if p.Repeated == nil {
		return s, s.digest(run, slot)
	}
	return p.Repeated.Sealed(run, slot, s, func() [32]byte { return s.digest(run, slot) })
}

func (p *Plans) chainOf(before, run [32]byte, d *Decision) [32]byte {
	if p.Repeated == nil {
		return chain(before, run, d)
	}
	return p.Repeated.Chain(before, run, d, func() [32]byte { return chain(before, run, d) })
}

// keptRecent is the number of recent seats and layouts that Plans keeps.
const keptRecent = 4

// keepLast appends x to the list, and drops the oldest element if there are more than keptRecent.
func keepLast[T any](list []T, x T) []T {
	if list = append(list, x); len(list) > keptRecent {
		list = list[1:]
	}
	return list
}

// RoundsFor returns the number of rounds of a session of vectors with the given number of
// values.
func (p *Plan) RoundsFor(values int) int {
	if p.Laplacian != nil {
		return p.Rounds()
	}
	words := values + 1 // the check
	if p.settings.arithmetic() == chunking.Ring128 {
		words *= 2
	}
	return p.Session(words).Rounds()
}
