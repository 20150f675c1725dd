package consensus

import (
	"fmt"
	"math"

	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus/graph"
)

// StepRule says how a member mixes its neighbours' values into its own.
type StepRule string

// The step rules.
const (
	// Chebyshev is the semi-iteration that needs about the square root of the
	// iterations of Optimal.
	Chebyshev StepRule = "chebyshev"
	// Optimal is the best constant step 2/(λ₂+λ_max) (Xiao and Boyd 2004).
	Optimal StepRule = "optimal"
	// Paper is the step 1/S of Eq. (3) of Idé et al. 2024.
	Paper StepRule = "paper"
)

// Plan is what the settings come to in a view of a given size: the topology, its
// spectrum, and how many iterations an average takes.
type Plan struct {
	Graph      *graph.Graph
	Spectrum   graph.Spectrum
	Step       StepRule
	Size       int
	Fanout     int // members that each hands a chunk to; 0 without protection
	Iterations int
	// alpha is the step of W = I - alpha L, and rate the largest absolute value
	// of W's other eigenvalues.
	alpha, rate float64
	tolerance   float64 // of an unmasked average
}

// NewPlan works out the plan of the settings for a view of the given size.
func NewPlan(s Settings, size int) (*Plan, error) {
	s = Params{Settings: s}.withDefaults().Settings
	if err := s.Validate(size); err != nil {
		return nil, err
	}
	g, err := graph.New(s.Graph, size, s.Degree)
	if err != nil {
		return nil, err
	}
	spectrum, err := g.Spectrum()
	if err != nil {
		return nil, err
	}
	p := &Plan{Graph: g, Spectrum: spectrum, Step: s.Step, Size: size, tolerance: s.Tolerance}
	reach := s.Tolerance
	if s.Protect == chunking.Chunks {
		p.Fanout = chunking.Fanout(size, s.Chunks)
		reach /= chunking.Spread // the disagreement to remove is that of the masks
	}
	p.alpha = 2 / (spectrum.Lambda2 + spectrum.LambdaMax)
	if s.Step == Paper {
		p.alpha = 1 / float64(size)
	}
	p.rate = max(math.Abs(1-p.alpha*spectrum.Lambda2), math.Abs(1-p.alpha*spectrum.LambdaMax))
	if p.rate < 1e-12 { // a complete graph: one step is exact, but for rounding
		p.rate = 0
	}
	if p.rate >= 1 {
		return nil, fmt.Errorf("step: %s does not converge on %s with %d members", s.Step, g.Kind, size)
	}
	p.Iterations = p.predict(reach)
	return p, nil
}

// predict returns the iterations after which the disagreement ‖x−x̄‖₂ is at most
// reach times the initial one: T with rate^T <= reach, or for Chebyshev with
// 1/cosh(T acosh(1/rate)) <= reach.
func (p *Plan) predict(reach float64) int {
	switch {
	case p.rate == 0:
		return 1
	case p.Step == Chebyshev:
		return int(math.Ceil(math.Acosh(1/reach) / math.Acosh(1/p.rate)))
	}
	return int(math.Ceil(math.Log(reach) / math.Log(p.rate)))
}
