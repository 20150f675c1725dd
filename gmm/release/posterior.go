package release

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/gmm/privacy"
)

// Posterior is that of the means of a mixture, Eqs. (41) and (42) of Idé et al. 2024: given the
// precisions and the responsibilities, the mean of component k has the distribution
//
//	N(w_k, (λ_k Λ_k)⁻¹)  with  λ_k = λ₀ + N̄_k,
//
// about the mean w_k that the mixture has.
type Posterior struct {
	Mixture *gmm.Mixture
	Rows    []float64 // N̄_k, K values, of the rows of all participants: [gmm.Mixture.ComponentRows]
	Lambda0 float64   // the weight of the prior mean, in rows; 0 is a flat prior
	// Bound returns what ‖Λ_k‖₂ of a component of so many rows cannot exceed, whatever the rows
	// are.
	Bound func(rows float64) float64
}

// Releaser is an algorithm whose mixtures have such a posterior.
type Releaser interface {
	// Posterior returns that of a model, with the variances that its prior is scaled by, if it is.
	Posterior(m algorithm.Model, variances []float64) (*Posterior, error)
}

// Loss bounds what a draw tells, as zero-concentrated differential privacy: Theorem 1 of the
// paper without its factor K. Neighbours are two sets of rows of all participants together of
// which one has a row x where the other has x′, with ‖x − x′‖₂ ≤ R in the coordinates trained on,
// and in which precisions, N̄_k and responsibilities r_k are the same. The means then differ by
// r_k(x − x′)/λ_k, so that the divergence of order α between the draws is
//
//	α Σ_k r_k²/(2λ_k) (x − x′)ᵀΛ_k(x − x′) ≤ α R²/2 max_k ‖Λ_k‖₂/λ_k,
//
// since Σ_k r_k² ≤ 1.
type Loss struct {
	// Precisions is the bound by the precisions as they are, which depend on the rows.
	Precisions privacy.ZCDP
	// Prior is the bound by the largest precisions that there can be. Of the rows it depends on
	// N̄_k, and where precisions are scaled by variances of rows, on those. It is +Inf if the
	// precisions are larger, since a solver has stopped short of them.
	Prior privacy.ZCDP
}

// Kept returns the components that may be released, from 0: Theorem 1 supposes that each has
// more rows than δ = max(1, N/1000), with N those of all.
func (p *Posterior) Kept() (components []int) { return gmm.Enough(p.Rows) }

// Check reports what cannot be drawn from.
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

// Loss returns the loss of one draw for rows that are at most a radius apart.
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
