package passes

import "github.com/collabdict/collabdict/internal/privacy"

// Partial is the result of an E-step on rows with missing cells: entropies, and the expected
// moments given the cells present.
type Partial struct {
	Moments *Moments
	// Cells is Σ_n Σ_k r_k(n) times the entropy of the missing cells of row n in component k.
	Cells     float64
	Entropies entropies
}

// NewPartial returns the result for no rows.
func NewPartial(k, dim int) *Partial {
	return &Partial{Moments: NewMoments(k, dim, true), Entropies: newEntropies(k)}
}

// Responsible adds a row's contribution to the entropies: r_k, r_k ln r_k, and the log density
// of component k.
func (p *Partial) Responsible(k int, r, plogp, logDensity float64) {
	var density privacy.Entropy
	density.Add([]float64{logDensity})
	p.Entropies.add(k, density, plogp, r)
}

// Merge adds the results of other rows.
func (p *Partial) Merge(o *Partial) {
	p.Moments.Merge(o.Moments)
	p.Cells += o.Cells
	p.Entropies.merge(&o.Entropies)
}

// Alone returns the moments of these rows, without any others, and the diversity of their
// weights.
func (p *Partial) Alone() (*Moments, privacy.Diversity) {
	return p.Moments, p.Entropies.diversity(p.Moments)
}
