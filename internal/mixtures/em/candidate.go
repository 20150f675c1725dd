package em

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/kernels/blas"
	"github.com/collabdict/collabdict/internal/mixtures/density"
	"github.com/collabdict/collabdict/internal/mixtures/glasso"
	"github.com/collabdict/collabdict/internal/mixtures/passes"
	"github.com/collabdict/collabdict/internal/privacy"
	"github.com/collabdict/collabdict/internal/privacy/guard"
)

// candidate is one mixture in training, with its form. If there is nothing to choose, there is
// one.
type candidate struct {
	view       *view // of the rows
	components int
	form       form

	model     *gmm.Mixture
	rows      []float64 // N_k of the last total; nil before it
	own       []float64 // N_k^s of the own vector in the last total; nil if none was counted
	updated   []float64 // N_k^s of the last local update; nil if there is none
	pending   []float64 // π^s of the last local update; nil if weights are shared, too
	diversity privacy.Diversity
	guard     guard.Components         // components left out or drawn in the totals so far
	guarding  guard.Components         // the same in the last local update
	doing     []algorithm.LowDiversity // changes from guard to guarding
	done      []algorithm.LowDiversity // changes in the last round
	stalled   *glasso.StalledError
	gain      float64     // gain of held-out rows in the last total
	loosely   bool        // held-out rows were more likely when components were merged loosely
	recent    [][]float64 // the last totals that the end needs
}

// form is a form of covariance matrices, with their prior and its M-step, and the weights that
// belong to it. A total of statistics has the packed moments and, as the last value, the sum of
// evidence.
type form interface {
	// noise names the part of a vector that a candidate has, and the noise on it. Candidates
	// that differ in their penalty alone have nearly the same values.
	noise(components int, vector string) (part, draw string)
	// tilts returns, for each component, what is added to the log density of a row, or nil.
	tilts(m *gmm.Mixture) []float64
	// meanRows is the weight of the prior mean, in rows.
	meanRows() float64
	// evidence returns a participant's part of the objective, given its number of rows, their
	// moments and the entropy of its missing cells. It also returns the participant's own
	// weights, or nil if weights are shared.
	evidence(n int, s *passes.Moments, cells float64) (sum float64, weights []float64)
	// step makes the M-step on a total, given the number of rows of all participants. Weights,
	// if not nil, are the participant's.
	step(m *gmm.Mixture, total, weights []float64, rows float64) (stepped, error)
	// averages reports whether the last totals are averaged at the end against the blur.
	averages() bool
	// relativePrior returns the relative prior, nil if the form has another one.
	relativePrior() *relative
}

// stepped is the result of an M-step.
type stepped struct {
	model     *gmm.Mixture
	rows      []float64 // N_k
	objective float64
	stalled   *glasso.StalledError // of the component farthest from its optimum; nil if there is none
}

// noise names the candidate's part of a vector, and the noise on it.
func (c *candidate) noise(vector string) (part, draw string) {
	part, draw = c.form.noise(c.components, vector)
	return c.view.named(part), c.view.named(draw)
}

// recentTotals is the number of last totals that are averaged at the end against the blur.
const recentTotals = 10

// update computes the candidate's part of a vector, and the weights for it.
func (c *candidate) update(l *Learner) ([]float64, error) {
	x, err := c.statistics(l, nil)
	if err != nil || c.view.partial == nil || collabdict.CheckBlocks(x, c.view.limits.statistics(c.components)) == nil {
		return x, err
	}
	// The values that replace missing cells are far larger than those present, so limit them.
	return c.statistics(l, c.view.limits.replaced())
}

// statistics is update with limits on the values that replace missing cells; nil means no
// limits. It applies the rule of diversity.
func (c *candidate) statistics(l *Learner, replaced []float64) ([]float64, error) {
	v := c.view
	tilts, cells := c.form.tilts(c.model), 0.0
	var about *mat.Dense
	if l.origin != nil {
		about = mat.NewDense(c.components, v.rows.Dim, slices.Repeat(l.origin, c.components))
	}
	var s *passes.Moments
	var err error
	s, c.guarding, c.doing, err = c.guard.Statistics(guard.Of{
		Rule: l.config.Diversity, Model: c.model, Origin: l.origin,
		Statistics: func(m *gmm.Mixture) (s *passes.Moments, err error) {
			var others *passes.Partial
			d := density.Of(m)
			if v.partial != nil {
				if others, err = d.PartialStatistics(v.partial, tilts, replaced); err != nil {
					return nil, err
				}
				cells = others.Cells
			}
			s, c.diversity, err = d.Statistics(v.whole, others, about, tilts, true)
			return s, err
		},
		Fits: func(s *passes.Moments) bool {
			return collabdict.CheckBlocks(s.Pack(), v.limits.Moments(c.components, v.limits.full)) == nil
		},
		Mean: func(k int, rows float64) []float64 {
			if c.rows != nil {
				rows = math.Max(rows, c.rows[k])
			}
			_, draw := c.noise("mean")
			return c.model.DrawMean(k, c.form.meanRows()+rows, l.secret.Source(draw, " ", l.optimised, " ", k))
		},
	})
	if err != nil {
		return nil, err
	}
	c.updated = slices.Clone(s.N)
	var sum float64
	sum, c.pending = c.form.evidence(v.rows.N, s, cells)
	bound := v.limits.evidence(c.components)
	return append(s.Pack(), math.Max(-bound, math.Min(sum, bound))), nil
}

// step makes the M-step on the candidate's part of a total. It returns the next candidate and its
// objective. included reports that the total includes the own vector of this round, and counts that
// this or an earlier one has been included.
func (c *candidate) step(total []float64, rows float64, included, counts bool) (next candidate, objective float64, err error) {
	next = *c
	next.done = nil
	weights := c.model.Weights()
	if c.updated != nil && (included || c.pending != nil && !counts) {
		next.own, next.guard, next.done = c.updated, c.guarding, c.doing
		if c.pending != nil {
			weights = c.pending
		}
	}
	out, err := c.form.step(c.model, total, weights, rows)
	if err != nil {
		return next, 0, err
	}
	next.model, next.rows, next.stalled = out.model, out.rows, out.stalled
	next.updated, next.pending = nil, nil
	if c.form.relativePrior() != nil || c.form.averages() {
		kept := 0
		if c.form.averages() {
			kept = recentTotals - 1
		}
		next.recent = append(slices.Clone(c.recent[max(0, len(c.recent)-kept):]), slices.Clone(total))
	}
	return next, out.objective, nil
}

// last returns the candidate without all totals but the last.
func (c *candidate) last() *candidate {
	x := *c
	x.recent = c.recent[max(0, len(c.recent)-1):]
	return &x
}

// lastTotal returns the mean of the last totals, nil if there is none. If they are blurred, it
// contains less of the blur than each of them, and they differ in little else if the model hardly
// moves in the last rounds.
func (c *candidate) lastTotal() []float64 {
	if len(c.recent) == 0 {
		return nil
	}
	mean := make([]float64, len(c.recent[0]))
	for _, total := range c.recent {
		blas.AddScaled(mean, 1/float64(len(c.recent)), total)
	}
	return mean
}

// settled returns the candidate as it is kept after the last round. With the relative prior, it
// leaves out components that have fewer rows, over all participants, than one or a thousandth of
// all; rounds keep these components and their part of the totals. If fewest is above 0, it also
// merges components that are one pattern, down to this number; loosely allows lossByChance in addition.
// If totals are blurred or components merged, the parameters follow from the mean of the last totals.
func (c *candidate) settled(fewest int, loosely bool) (*candidate, error) {
	total := c.lastTotal()
	groups := c.enough()
	if total == nil || groups == nil {
		return c, nil
	}
	last := len(total) - 1
	s := passes.Unpack(total[:last], c.model.Components(), c.model.Dim(), true)
	again := c.form.averages() && len(c.recent) > 1
	if fewest > 0 {
		before := len(groups)
		more := 0.0
		if loosely {
			more = float64(lossByChance * c.model.Dim())
		}
		groups = c.form.(prior).merge(s, groups, fewest, more)
		again = again || len(groups) < before
	}
	next, err := c.joined(groups)
	if err != nil || !again {
		return next, err
	}
	packed := append(s.Joined(groups).Pack(), total[last])
	out, err := c.form.step(next.model, packed, next.model.Weights(), passes.Sum(next.rows))
	next.model, next.stalled, next.rows = out.model, out.stalled, out.rows
	return next, err
}

// enough returns the components, from 0, with enough rows of all participants to be written, each as
// a group of its own; nil if none has. Without the relative prior, all have.
func (c *candidate) enough() (groups [][]int) {
	least := gmm.LeastRows(passes.Sum(c.rows))
	for k, rows := range c.rows {
		if rows >= least || c.form.relativePrior() == nil {
			groups = append(groups, []int{k})
		}
	}
	return groups
}

// joined returns the candidate in which each of the given groups of components is one component,
// with the mean and the precision of the one with most rows. It has no totals.
func (c *candidate) joined(groups [][]int) (*candidate, error) {
	next := *c
	next.rows, next.own, next.recent = passes.Join(c.rows, groups), passes.Join(c.own, groups), nil
	if len(groups) == c.model.Components() {
		return &next, nil
	}
	weights, means, kept := passes.Join(c.model.Weights(), groups), c.model.Means(), []float64(nil)
	var precisions []*mat.SymDense
	for _, group := range groups {
		most := slices.MaxFunc(group, func(a, b int) int { return cmp.Compare(c.rows[a], c.rows[b]) })
		kept = append(kept, means.RawRowView(most)...)
		precisions = append(precisions, c.model.Precision(most))
	}
	floats.Scale(1/passes.Sum(weights), weights)
	var err error
	next.model, err = gmm.NewMixture(weights, mat.NewDense(len(groups), c.model.Dim(), kept), precisions)
	return &next, err
}

// written returns the mixture for the model file, in which weights of at most least are 0.
func (c *candidate) written(least float64) (*gmm.Mixture, error) {
	weights, changed := c.model.Weights(), false
	for k, w := range weights {
		if w <= least && w > 0 {
			weights[k], changed = 0, true
		}
	}
	sum := passes.Sum(weights)
	if !changed || sum == 0 {
		return c.model, nil
	}
	floats.Scale(1/sum, weights)
	precisions := make([]*mat.SymDense, len(weights))
	for k := range precisions {
		precisions[k] = c.model.Precision(k)
	}
	return gmm.NewMixture(weights, c.model.Means(), precisions)
}

// lone returns the components of the written mixture, from 0, that have only own rows.
func (c *candidate) lone() []int { return privacy.Lone(c.own, c.rows) }
