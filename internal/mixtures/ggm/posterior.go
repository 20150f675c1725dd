package ggm

import (
	"errors"
	"slices"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/gmm"
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
	p := prior{rho: a.Rho}
	if a.Rho == 0 {
		if len(variances) != m.Dim() || !(slices.Min(variances) > 0) {
			return nil, errors.New("want the column variances that scale the prior, got none")
		}
		p.relative = &relative{variances: variances}
	}
	of.Bound = func(rows float64) float64 { return p.bound(rows, m.Dim()) }
	return &of, of.Check()
}

// bound returns an upper bound of ‖Λ‖₂ for a component of n rows. The objective is ln|Λ| −
// Tr(ΛS) − penalty(Λ), and the penalty grows in proportion to Λ. At the maximum the derivative
// by a factor of Λ is 0:
//
//	Tr(ΛS) + penalty(Λ) = M.
//
// As S is positive semi-definite, penalty(Λ) ≤ M. With the penalty ρ/(n + 1) on all of ‖Λ‖₁,
//
//	‖Λ‖₂ ≤ Tr Λ ≤ ‖Λ‖₁ ≤ M(n + 1)/ρ.
//
// In the relative form, (n + ν)S = C + ν diag(w), where the scatter C of n rows is positive
// semi-definite. The penalty off the diagonal is at least 0, so ν Tr(Λ diag(w)) ≤ (n + ν)M, and
//
//	‖Λ‖₂ ≤ Tr Λ ≤ Σ_i w_i Λ_ii / min w ≤ M(n + ν)/(ν min w).
func (p prior) bound(n float64, dim int) float64 {
	if r := p.relative; r != nil {
		return float64(dim) * (n + priorRows) / (priorRows * slices.Min(r.variances))
	}
	return float64(dim) * (n + 1) / p.rho
}
