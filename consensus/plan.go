package consensus

import (
	"math"

	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus/graph"
	"github.com/collabdict/collabdict/consensus/session"
)

// Plans is what the settings come to in views of any size. Each is worked out
// once. Not safe for concurrent use.
type Plans struct {
	settings Settings
	own      bool // of one machine alone
	roster   int  // the size asked for first, of which others are a part
	bySize   map[int]*Plan
	seats    []*seats // of the last views

	all            *View // of the roster
	decide         []int // its committee
	decideRun      [32]byte
	decideSize     int
	decideRevision uint32
	layouts        []sharedLayout
	sealed         []sharedSealed
	chains         []sharedChain
}

// Plan is what the settings come to in a view of one size.
type Plan struct {
	Size   int
	Fanout int // members that each hands a chunk to; 0 without such chunks
	// Laplacian is the plan of floating-point sessions, nil in other schemes.
	Laplacian *session.Laplacian
	settings  Settings
	baseK     session.Plan // of that scheme
	exact     *session.Exact
	pads      *session.Exact // of sums of pads, in any scheme
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
	plan := &Plan{Size: size, settings: s}
	if s.Protect == chunking.Chunks {
		plan.Fanout = chunking.Fanout(size, s.Chunks)
	}
	if s.Scheme == Laplacian {
		var err error
		// The disagreement to remove is that of the residues.
		reach := s.Tolerance / plan.spread()
		if plan.Laplacian, err = session.NewLaplacian(size, s.Step, s.Graph, s.Degree, reach); err != nil && p.roster > size {
			// Not every kind has a graph of every size that a view may shrink to.
			plan.Laplacian, err = session.NewLaplacian(size, s.Step, graph.HamiltonCycles, s.Degree, reach)
		}
		if err != nil {
			return nil, err
		}
	}
	p.bySize[size] = plan
	return plan, nil
}

// plan returns the plan for a view, whose size has been checked.
func (p *Plans) plan(size int) *Plan {
	plan, err := p.For(size)
	if err != nil {
		panic("consensus: " + err.Error())
	}
	return plan
}

// Session returns how sessions of vectors of the given number of words run.
func (p *Plan) Session(words int) session.Plan {
	if p.Laplacian != nil {
		return p.Laplacian
	}
	s := p.settings
	var err error
	switch {
	case s.Scheme == BaseK && p.baseK == nil:
		p.baseK, err = session.NewBaseK(p.Size, s.Fan)
	case s.Scheme != BaseK && p.exact == nil:
		p.exact, err = session.NewExact(p.Size, s.Fan, s.arithmetic())
	}
	if err != nil {
		panic("consensus: " + err.Error()) // size and fan have been checked
	}
	if s.Scheme == BaseK {
		return p.baseK
	}
	return p.exact.For(words)
}

// unmasking returns how the sums of pads of the given number of words are made.
func (p *Plan) unmasking(words int) session.Plan {
	if p.pads == nil && p.settings.Scheme == Exact && p.settings.Fan == 1 {
		p.Session(words) // the same
		p.pads = p.exact
	}
	if p.pads == nil {
		a := p.settings.arithmetic()
		if a == chunking.Float {
			a = chunking.Ring // what its units are
		}
		var err error
		if p.pads, err = session.NewExact(p.Size, 1, a); err != nil {
			panic("consensus: " + err.Error()) // size and arithmetic have been checked
		}
	}
	return p.pads.For(words)
}

// Rounds returns the rounds of a session of short vectors.
func (p *Plan) Rounds() int { return p.Session(1).Rounds() }

// Sends returns how many words of vectors a member sends in the sessions of a sum of
// so many, mean over the members, the sealer's result in floating point included. It
// runs sessions of short vectors.
func (p *Plan) Sends(words int) float64 {
	plan, short := p.Session(words), 2*p.Size // blocks of a vector are equally long
	at := session.Placement{Members: make([]int, p.Size)}
	for i := range at.Members {
		at.Members[i] = i
	}
	sessions := make([]session.Session, p.Size)
	for i := range sessions {
		at.Self, at.Guess = i, i
		sessions[i] = plan.New(at, make([]uint64, short))
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
		sent += (p.Size - 1) * short
	}
	return float64(sent) / float64(p.Size*short) * float64(words)
}

// spread returns the standard deviation of a masked vector in units of
// chunking.Scale, or 1, the bound itself, without masks.
func (p *Plan) spread() float64 {
	masks := 2 * p.Fanout
	switch p.settings.Protect {
	case chunking.None:
		return 1
	case chunking.Sessions:
		masks = p.settings.lanes() // of the lane that holds the remainder
	}
	return chunking.Deviation * math.Sqrt(float64(masks+1)) // one more is the pad
}

// tolerated returns how far two members' results may lie apart for values of a
// block with the given bound.
func (p *Plan) tolerated(bound float64) float64 {
	lanes := math.Sqrt(float64(p.settings.lanes()))
	return lanes * p.Laplacian.Tolerance(p.spread()*chunking.Scale(bound))
}
