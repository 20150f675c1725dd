package consensus

import (
	"crypto/sha256"
	"encoding/binary"
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
		reach /= p.spread() // the disagreement to remove is that of the residues
	}
	spectrum = rounded(spectrum)
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

// rounded drops the digits in which another architecture's eigenvalues may differ:
// all members must iterate alike.
func rounded(s graph.Spectrum) graph.Spectrum {
	return graph.Spectrum{
		Lambda2:   math.Ldexp(math.Round(math.Ldexp(s.Lambda2, 32)), -32),
		LambdaMax: math.Ldexp(math.Round(math.Ldexp(s.LambdaMax, 32)), -32),
	}
}

// spread returns the standard deviation of a residue in units of chunking.Scale,
// or 1, the bound itself, without chunks.
func (p *Plan) spread() float64 {
	if p.Fanout == 0 {
		return 1
	}
	return chunking.Deviation * math.Sqrt(float64(2*p.Fanout))
}

// tolerated returns how far two members' totals may lie apart for values of a
// block with the given bound: what the iterations leave of the initial
// disagreement, and what rounding adds in the iterations that it outlives, each
// with a factor of 4 for safety.
func (p *Plan) tolerated(bound float64) float64 {
	size := float64(p.Size)
	outlived := math.Min(float64(p.Iterations), 1/(1-p.rate))
	rounding := p.spread() * float64(p.Graph.Degree()+4) * outlived * 0x1p-53
	return 4 * size * chunking.Scale(bound) * (math.Sqrt(size)*p.tolerance + rounding)
}

// digest returns a hash of what all members must iterate alike: the topology and
// the numbers of the recurrence.
func (p *Plan) digest() [32]byte {
	h := sha256.New()
	put := func(v uint64) { h.Write(binary.BigEndian.AppendUint64(nil, v)) }
	put(uint64(p.Size))
	put(uint64(p.Iterations))
	put(math.Float64bits(p.alpha))
	put(math.Float64bits(p.rate))
	for v := range p.Size {
		neighbours := p.Graph.Neighbours(v)
		put(uint64(len(neighbours)))
		for _, n := range neighbours {
			put(uint64(n))
		}
	}
	return [32]byte(h.Sum(nil))
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
