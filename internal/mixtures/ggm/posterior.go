package ggm

import (
	"errors"
	"slices"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/mixtures/em"
	"github.com/collabdict/collabdict/internal/privacy/release"
)

var _ release.Releaser = (*Algorithm)(nil)

// Posterior returns the posterior of the means of a mixture learned with these settings.
func (a *Algorithm) Posterior(m algorithm.Model, variances []float64) (*release.Posterior, error) {
	of := release.Posterior{Lambda0: a.Lambda0}
	switch m := m.(type) {
	case *gmm.Mixture:
		of.Mixture = m
	case gmm.Expected:
		of.Mixture = m.Mixture
	default:
		return nil, errors.New("want a mixture")
	}
	of.Rows = of.Mixture.ComponentRows()
	if a.Rho == 0 && (len(variances) != m.Dim() || !(slices.Min(variances) > 0)) {
		return nil, errors.New("want the column variances that scale the prior, got none")
	}
	of.Bound = func(rows float64) float64 { return em.PrecisionBound(rows, m.Dim(), a.Rho, variances) }
	return &of, of.Check()
}
