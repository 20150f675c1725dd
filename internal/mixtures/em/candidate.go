package ggm

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/mixtures/glasso"
	"github.com/collabdict/collabdict/internal/mixtures/passes"
	"github.com/collabdict/collabdict/internal/numeric/portable"
	"github.com/collabdict/collabdict/internal/privacy"
	"github.com/collabdict/collabdict/internal/privacy/guard"
)

// candidate is one mixture in training, with its prior. If there is nothing to choose, there is
// one.
type candidate struct {
	components int
	prior      prior

	model     *gmm.Mixture
	rows      []float64 // N_k of the last total; nil before it
	own       []float64 // N_k^s of the own vector in the last total; nil if none was counted
	unmoved   privacy.Unmoved
	pending   []float64 // π^s of the last local update; nil if there is none
	updated   []float64 // N_k^s of the last local update
	diversity privacy.Diversity
	guard     guard.Components         // components left out or drawn in the totals so far
	guarding  guard.Components         // the same in the last local update
	doing     []algorithm.LowDiversity // changes from guard to guarding
	done      []algorithm.LowDiversity // changes in the last round
	stalled   *glasso.StalledError
	gain      float64     // gain of held-out rows in the last total
	recent    [][]float64 // the last totals, if totals are blurred
}

// recentTotals is the number of last totals that are averaged at the end against the blur.
const recentTotals = 10

// ownRows is the number of rows that each component counts in a participant's weights in addition
// to its actual rows. With the prior ∏_k π_k^ownRows, a pattern without any own row is rare but not
// impossible.
const ownRows = 0.1

// weightRows returns the number of rows that the weights count per component besides actual rows.
func (p prior) weightRows() float64 {
	if p.relative == nil {
		return 0
	}
	return ownRows
}

// len returns the length of the candidate's part of a vector.
func (c *candidate) len(dim int) int { return passes.PackedLen(c.components, dim, true) + 1 }

// update computes the candidate's part of a vector, and the weights for it.
func (c *candidate) update(l *Learner) ([]float64, error) {
	x, err := c.statistics(l, nil)
	if err != nil || l.partial == nil || collabdict.CheckBlocks(x, l.limits.statistics(c.components)) == nil {
		return x, err
	}
	// The values that replace missing cells are far larger than those present, so limit them.
	return c.statistics(l, l.limits.replaced())
}

// statistics is update with limits on the values that replace missing cells; nil means no
// limits.
func (c *candidate) statistics(l *Learner, replaced []float64) ([]float64, error) {
	tilts, cells := c.prior.tilts(c.model), 0.0
	s, err := c.guarded(l, func(m *gmm.Mixture) (s *passes.Moments, err error) {
		var others *passes.Partial
		if l.partial != nil {
			if others, err = m.PartialStatistics(l.partial, tilts, replaced); err != nil {
				return nil, err
			}
			cells = others.Cells
		}
		s, c.diversity, err = m.StatisticsWith(l.whole, others, tilts)
		return s, err
	})
	if err != nil {
		return nil, err
	}
	more := c.prior.weightRows()
	c.updated = slices.Clone(s.N)
	c.pending = make([]float64, s.K)
	floats.AddConst(more, c.pending)
	floats.Add(c.pending, s.N)
	own := s.Entropy + cells
	if price := l.sparse(c.components); price.price > 0 {
		var active int
		c.pending, active = price.weights(c.pending)
		own -= float64(price.price * float64(active))
	} else {
		floats.Scale(1/passes.Sum(c.pending), c.pending)
	}
	for k, w := range c.pending {
		if w > 0 {
			own += float64((s.N[k] + more) * portable.Log(w))
		}
	}
	bound := l.limits.own(c.components)
	return append(s.Pack(), math.Max(-bound, math.Min(own, bound))), nil
}

// step applies Eqs. (14) to (16) of Idé et al. 2024 to the candidate's part of a total. It
// returns the next candidate and its objective. counts reports that the total includes the
// vector to which the pending weights belong.
func (c *candidate) step(total []float64, dim int, counts bool) (next candidate, objective float64, err error) {
	next = *c
	next.done = nil
	weights := c.model.Weights()
	if c.pending != nil && counts {
		weights, next.own = c.pending, c.updated
		next.guard, next.done = c.guarding, c.doing
	}
	s := passes.Unpack(total[:len(total)-1], c.components, dim, true)
	if next.model, next.stalled, err = c.prior.step(c.model, s, weights); err != nil {
		return next, 0, err
	}
	next.pending, next.rows = nil, slices.Clone(s.N)
	if c.prior.blurred {
		next.recent = append(slices.Clone(c.recent[max(0, len(c.recent)-recentTotals+1):]), slices.Clone(total))
	}
	return next, c.prior.objective(next.model, s, total[len(total)-1]), nil
}

// settled returns the candidate after a step from the mean of the last totals, which contains
// less of the blur. These totals differ in little else if the model hardly moves in the rounds.
func (c *candidate) settled(dim int) (*candidate, error) {
	if len(c.recent) < 2 {
		return c, nil
	}
	mean := make([]float64, len(c.recent[0]))
	for _, total := range c.recent {
		portable.AddScaled(mean, 1/float64(len(c.recent)), total)
	}
	s, next := passes.Unpack(mean[:len(mean)-1], c.components, dim, true), *c
	var err error
	next.model, next.stalled, err = c.prior.step(c.model, s, c.model.Weights())
	next.rows, next.recent = s.N, nil
	return &next, err
}

// written returns the mixture for the model file. It leaves out components with fewer rows,
// over all participants, than one or a thousandth of all. Rounds keep these components and
// their part of the totals. Weights of at most least become 0.
func (c *candidate) written(least float64) (*gmm.Mixture, error) {
	var weights []float64
	var precisions []*mat.SymDense
	all, means, kept := c.model.Weights(), c.model.Means(), []float64(nil)
	sum := 0.0
	numbers := c.kept()
	changed := len(numbers) < len(all)
	for _, k := range numbers {
		if all[k] <= least && all[k] > 0 {
			all[k], changed = 0, true
		}
		weights = append(weights, all[k])
		sum += all[k]
		kept = append(kept, means.RawRowView(k)...)
		precisions = append(precisions, c.model.Precision(k))
	}
	if !changed || sum == 0 {
		return c.model, nil
	}
	floats.Scale(1/sum, weights)
	return gmm.NewMixture(weights, mat.NewDense(len(weights), c.model.Dim(), kept), precisions)
}

// kept returns the components, from 0, of the written mixture.
func (c *candidate) kept() (numbers []int) {
	var all []int
	least := gmm.LeastRows(passes.Sum(c.rows))
	for k := range c.model.Components() {
		all = append(all, k)
		if c.rows != nil && c.rows[k] >= least {
			numbers = append(numbers, k)
		}
	}
	if c.prior.relative == nil || numbers == nil {
		return all
	}
	return numbers
}

// lone returns the components of the written mixture, from 0, that have only own rows.
func (c *candidate) lone() []int {
	var own, all []float64
	for _, k := range c.kept() {
		all = append(all, c.rows[k])
		if c.own != nil {
			own = append(own, c.own[k])
		}
	}
	return privacy.Lone(own, all)
}

// objective returns the objective of a model at the given sums, where own is the participants'
// part of it.
func (p prior) objective(m *gmm.Mixture, s *passes.Moments, own float64) float64 {
	sum := own + m.Expected(s, nil) + p.logDensity(m)
	for k, tilt := range p.tilts(m) {
		sum += float64(s.N[k] * tilt)
	}
	return sum
}
