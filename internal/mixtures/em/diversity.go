package ggm

import (
	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/mixtures/passes"
	"github.com/collabdict/collabdict/internal/privacy/guard"
)

// guarded computes the statistics of a vector and applies the rule of diversity.
func (c *candidate) guarded(l *Learner, statistics func(m *gmm.Mixture) (*passes.Moments, error)) (s *passes.Moments, err error) {
	s, c.guarding, c.doing, err = c.guard.Statistics(guard.Of{
		Rule: l.config.Diversity, Model: c.model, Statistics: statistics,
		Fits: func(s *passes.Moments) bool {
			return collabdict.CheckBlocks(s.Pack(), l.limits.Moments(c.components, true)) == nil
		},
		Mean: func(k int, rows float64) []float64 {
			if c.rows != nil {
				rows = c.rows[k]
			}
			return c.model.DrawMean(k, c.prior.lambda0+rows, l.secret.Source("ggm ", l.optimised, c.components, c.prior.lambda(), k))
		},
	})
	return s, err
}

// lambda returns the penalty of the relative form, or 0 for the absolute one.
func (p prior) lambda() float64 {
	if p.relative == nil {
		return 0
	}
	return p.relative.lambda
}

// LowDiversity returns what the last round did about the model's components with too few of
// this participant's rows.
func (l *Learner) LowDiversity() []algorithm.LowDiversity { return l.live[best(l.live)].done }
