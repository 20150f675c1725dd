package dem

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/mixtures/passes"
	"github.com/collabdict/collabdict/internal/privacy"
	"github.com/collabdict/collabdict/internal/privacy/guard"
)

// guarded computes the statistics of a vector and applies the rule of diversity.
func (l *Learner) guarded() (s *passes.Moments, err error) {
	k, form := l.model.Components(), l.model.Form()
	about := mat.NewDense(k, l.rows.Dim, slices.Repeat(l.origin, k))
	s, l.guarding, l.doing, err = l.guard.Statistics(guard.Of{
		Rule: l.config.Diversity, Model: l.model, Origin: l.origin,
		Statistics: func(m *gmm.Mixture) (s *passes.Moments, err error) {
			s, l.diversity, err = m.Statistics(l.rows, about, nil, true)
			return s, err
		},
		Fits: func(s *passes.Moments) bool {
			return collabdict.CheckBlocks(append(s.Pack(), 0), l.limits.sums(k, l.origin, form)) == nil
		},
		Mean: func(k int, rows float64) []float64 {
			if l.all != nil {
				rows = max(rows, l.all[k])
			}
			return l.model.DrawMean(k, rows, l.secret.Source("dem ", l.optimised, k))
		},
	})
	return s, err
}

// softSums returns the sums of the start, in which each row belongs to the clusters of all
// centres, after applying the rule of diversity. There is no component yet from which to draw,
// and nothing to stop, so rows of a cluster with low diversity count for other clusters.
func (l *Learner) softSums(centres *mat.Dense) ([]float64, error) {
	k, _ := centres.Dims()
	s, err := guard.Apart(l.config.Diversity, 1, k, func(without []bool) (*passes.Moments, []privacy.Shares, error) {
		s, err := l.rows.SoftMoments(k, centres.RawMatrix().Data, l.variance(centres), l.origin, l.config.Form == gmm.Full, without)
		if err != nil {
			return nil, nil, err
		}
		return s, s.Shares, nil
	})
	if err != nil {
		return nil, err
	}
	return append(s.Pack(), 0), nil
}

// Diversity returns the entropy l-diversity of the last LocalUpdate's statistics.
func (l *Learner) Diversity() privacy.Diversity { return l.diversity }

// LowDiversity returns what the last round did about components with too few of this
// participant's rows.
func (l *Learner) LowDiversity() []algorithm.LowDiversity { return l.done }
