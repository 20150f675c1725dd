package ggm

import (
	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/gmm/internal/guard"
	"github.com/collabdict/collabdict/gmm/internal/passes"
)

// guarded makes the statistics of a vector by the rule of diversity.
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

// lambda is that of the relative form, 0 of the other.
func (p prior) lambda() float64 {
	if p.relative == nil {
		return 0
	}
	return p.relative.lambda
}

// LowDiversity returns what the last round has done about components of the model with too
// few of the own rows.
func (l *Learner) LowDiversity() []algorithm.LowDiversity { return l.live[best(l.live)].done }
