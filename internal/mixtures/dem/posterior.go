package dem

import (
	"errors"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/mixtures/em"
	"github.com/collabdict/collabdict/internal/privacy/release"
)

var _ release.Releaser = (*Algorithm)(nil)

// Posterior returns the posterior of a mixture's means under a flat prior; they are the means
// of their rows. All variances include em.RegCovar, so 1/em.RegCovar bounds the precisions.
func (a *Algorithm) Posterior(m algorithm.Model, _ []float64) (*release.Posterior, error) {
	mixture, ok := m.(*gmm.Mixture)
	if !ok {
		return nil, errors.New("want a mixture")
	}
	p := &release.Posterior{Mixture: mixture, Rows: mixture.ComponentRows(), Bound: func(float64) float64 { return 1 / em.RegCovar }}
	return p, p.Check()
}
