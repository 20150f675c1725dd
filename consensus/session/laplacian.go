package session

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/collabdict/collabdict/consensus/graph"
)

// A Step is the way in which a member mixes its neighbours' values into its own.
type Step string

// The steps.
const (
	// Chebyshev is the Chebyshev semi-iteration, which needs about the square root of the
	// iterations of Optimal.
	Chebyshev Step = "chebyshev"
	// Optimal is the best constant step 2/(λ₂+λ_max) (Xiao and Boyd 2004).
	Optimal Step = "optimal"
	// Metropolis gives an edge the weight 1/(1+d), where d is the larger degree of its ends. It
	// needs no spectrum (Xiao, Boyd and Lall 2005).
	Metropolis Step = "metropolis"
	// Paper is the step 1/S of Eq. (3) of Idé et al. 2024.
	Paper Step = "paper"
)

// A Laplacian is a plan of iterations x(t+1) = ω(t) W x(t) + (1-ω(t)) x(t-1) that converge to
// the average over the vertices of a graph. W is I - αL or the Metropolis weights, and ω is 1
// except with Chebyshev.
//
// A graph may have more vertices than the view has members. The first members then host one
// more vertex each, a ghost whose vector is zero, so the total does not change.
type Laplacian struct {
	size       int
	step       Step
	graph      *graph.Graph
	iterations int
	// alpha is the step size. rate is the largest absolute eigenvalue of W apart from that of
	// the average.
	alpha, rate float64
	digest      [32]byte
}

// NewLaplacian computes the plan for the given number of members, at least 2. It builds the
// graph of the kind and degree, and computes the number of iterations after which the
// disagreement ‖x-x̄‖₂ is at most reach times the initial one.
func NewLaplacian(size int, step Step, kind graph.Kind, degree int, reach float64) (*Laplacian, error) {
	if !(reach > 0 && reach < 1) {
		return nil, fmt.Errorf("session: want a relative disagreement between 0 and 1, got %g", reach)
	}
	g, err := graph.New(kind, size, degree)
	if err != nil {
		return nil, err
	}
	p := &Laplacian{size: size, step: step, graph: g}
	if err := p.converge(); err != nil {
		return nil, err
	}
	p.iterations = predict(step, p.rate, reach)
	p.digest = p.hash()
	return p, nil
}

// converge sets alpha and rate.
func (p *Laplacian) converge() error {
	spectrum := p.graph.Spectrum
	if p.step == Metropolis {
		spectrum = p.graph.MetropolisSpectrum
	}
	s, err := spectrum()
	if err != nil {
		return err
	}
	lambda2, lambdaMax := rounded(s.Lambda2), rounded(s.LambdaMax)
	switch p.step {
	case Chebyshev, Optimal:
		p.alpha = 2 / (lambda2 + lambdaMax)
	case Paper:
		p.alpha = 1 / float64(p.graph.Len())
	case Metropolis:
		p.alpha = 1
	default:
		return fmt.Errorf("session: want the step %s, %s, %s or %s, got %q", Chebyshev, Optimal, Metropolis, Paper, string(p.step))
	}
	p.rate = max(math.Abs(1-float64(p.alpha*lambda2)), math.Abs(1-float64(p.alpha*lambdaMax)))
	if p.rate < 1e-12 { // a complete graph: one step is exact except for rounding
		p.rate = 0
	}
	if p.rate >= 1 {
		return fmt.Errorf("session: step %s does not converge on %s with %d members", p.step, p.graph.Kind, p.size)
	}
	return nil
}

// rounded removes the digits of an eigenvalue that may differ on another architecture: all
// members must use the same numbers.
func rounded(lambda float64) float64 {
	return math.Ldexp(math.Round(math.Ldexp(lambda, 32)), -32)
}

// predict returns the number of iterations after which the disagreement is at most reach times
// the initial one. It is the smallest T with
//
//	rate^T <= reach, or for Chebyshev 1/cosh(T acosh(1/rate)) <= reach.
func predict(step Step, rate, reach float64) int {
	switch {
	case rate == 0:
		return 1
	case step == Chebyshev:
		return int(math.Ceil(math.Acosh(1/reach) / math.Acosh(1/rate)))
	}
	return int(math.Ceil(math.Log(reach) / math.Log(rate)))
}

// hash returns a hash over the topology and the numbers of the recurrence.
func (p *Laplacian) hash() [32]byte {
	h := sha256.New()
	put := func(v uint64) { h.Write(binary.BigEndian.AppendUint64(nil, v)) }
	h.Write([]byte("collabdict/laplacian/1/" + p.step))
	put(uint64(p.size))
	put(uint64(p.iterations))
	put(math.Float64bits(p.alpha))
	put(math.Float64bits(p.rate))
	for v := range p.graph.Len() {
		neighbours := p.graph.Neighbours(v)
		weights := p.graph.Weights(v)
		put(uint64(len(neighbours)))
		for i, n := range neighbours {
			put(uint64(n))
			put(math.Float64bits(weights[i]))
		}
	}
	return [32]byte(h.Sum(nil))
}

// Size implements [Plan].
func (p *Laplacian) Size() int { return p.size }

// Rounds implements [Plan]. A round is one iteration.
func (p *Laplacian) Rounds() int { return p.iterations }

// Digest implements [Plan].
func (p *Laplacian) Digest() [32]byte { return p.digest }

// Name implements [Plan].
func (p *Laplacian) Name() string { return fmt.Sprintf("laplacian %s on %s", p.step, p.graph.Kind) }

// Graph returns the topology.
func (p *Laplacian) Graph() *graph.Graph { return p.graph }

// LeftAfter returns an upper bound of the disagreement ‖x-x̄‖₂ after a number of iterations,
// relative to the initial one, not counting rounding.
func (p *Laplacian) LeftAfter(iterations int) float64 {
	switch {
	case iterations == 0:
		return 1
	case p.rate == 0:
		return 0
	case p.step == Chebyshev:
		return 1 / math.Cosh(float64(iterations)*math.Acosh(1/p.rate))
	}
	return math.Pow(p.rate, float64(iterations))
}
