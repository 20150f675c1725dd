package release

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/privacy"
)

// Posterior is the posterior of the means of a mixture, Eqs. (41) and (42) of Idé et al. 2024.
// Given the precisions and the responsibilities, the mean of component k has the distribution
//
//	N(w_k, (λ_k Λ_k)⁻¹)  with  λ_k = λ₀ + N̄_k,
//
// where w_k is its mean in the mixture.
type Posterior struct {
	Mixture *gmm.Mixture
	Rows    []float64 // N̄_k, K values, over the rows of all participants: [gmm.Mixture.ComponentRows]
	Lambda0 float64   // weight of the prior mean, in rows; 0 is a flat prior
	// Bound returns an upper bound of ‖Λ_k‖₂ for a component with the given number of rows,
	// whatever these rows are.
	Bound func(rows float64) float64
}

// Releaser is an algorithm whose mixtures have a [Posterior].
type Releaser interface {
	// Posterior returns the posterior of a model. variances are those that scale its prior, if
	// any.
	Posterior(m algorithm.Model, variances []float64) (*Posterior, error)
}

// Loss bounds what a draw reveals, as zero-concentrated differential privacy: Theorem 1 of Idé
// et al. 2024 without its factor K.
//
// Neighbours are two sets of all participants' rows in which one row x is replaced by x′, with
// ‖x − x′‖₂ ≤ R in the coordinates of training. Precisions, N̄_k and responsibilities r_k are
// assumed equal in both. The means then differ by r_k(x − x′)/λ_k, so the divergence of order α
// between the draws is
//
//	α Σ_k r_k²/(2λ_k) (x − x′)ᵀΛ_k(x − x′) ≤ α R²/2 max_k ‖Λ_k‖₂/λ_k,
//
// since Σ_k r_k² ≤ 1.
type Loss struct {
	// Precisions is the bound by the actual precisions, which depend on the rows.
	Precisions privacy.ZCDP
	// Prior is the bound by the largest possible precisions. It depends on the rows only
	// through N̄_k and, if variances of rows scale the precisions, through these. It is +Inf if
	// the precisions exceed the limit because a solver stopped short.
	Prior privacy.ZCDP
}

// Kept returns the components that may be released, from 0. Theorem 1 assumes that each has
// more rows than δ = max(1, N/1000), where N is the number of all rows.
func (p *Posterior) Kept() (components []int) { return gmm.Enough(p.Rows) }

// Check returns an error if nothing can be drawn.
func (p *Posterior) Check() error {
	if p.Rows == nil {
		return errors.New("the model does not list the rows of its components, as it was written by an older program: train again")
	}
	if k := p.Mixture.Components(); len(p.Rows) != k {
		return fmt.Errorf("want the numbers of rows of %d components, got %d", k, len(p.Rows))
	}
	for k, n := range p.Rows {
		if !(n >= 0) || math.IsInf(n, 1) {
			return fmt.Errorf("component %d: want a finite number of rows of at least 0, got %g", k+1, n)
		}
	}
	if len(p.Kept()) == 0 {
		return fmt.Errorf("want a component that has at least 1 row and a thousandth of all rows, got none")
	}
	return nil
}

// Loss returns the loss of one draw for rows that are at most radius apart.
func (p *Posterior) Loss(radius float64) (l Loss) {
	dim := p.Mixture.Dim()
	for _, k := range p.Kept() {
		var e mat.EigenSym
		if !e.Factorize(p.Mixture.Precision(k), false) {
			panic("release: a precision matrix has no eigenvalues")
		}
		largest := e.Values(nil)[dim-1]
		weight := radius * radius / 2 / (p.Lambda0 + p.Rows[k])
		l.Precisions = max(l.Precisions, privacy.ZCDP(weight*largest))
		l.Prior = max(l.Prior, privacy.ZCDP(weight*p.Bound(p.Rows[k])))
	}
	if l.Precisions > l.Prior*(1+1e-6) {
		l.Prior = privacy.ZCDP(math.Inf(1))
	}
	return l
}
