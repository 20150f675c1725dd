package passes

import (
	"github.com/collabdict/collabdict/gmm/privacy"
	"github.com/collabdict/collabdict/internal/parallel"
)

// Partial is what an E-step makes of rows with missing cells: moments as expected given what
// is there, and entropies.
type Partial struct {
	Moments *Moments
	// Cells is Σ_n Σ_k r_k(n) times the entropy of the missing cells of row n in component k.
	Cells float64
	entropies
}

// NewPartial returns that of no row.
func NewPartial(k, dim int) *Partial {
	return &Partial{Moments: NewMoments(k, dim, true), entropies: newEntropies(k)}
}

// Responsible adds what entropies are of a row: r_k and r_k ln r_k, and the log density of
// component k.
func (p *Partial) Responsible(k int, r, plogp, logDensity float64) {
	p.plogp[k] += plogp
	p.top[k] = max(p.top[k], r)
	p.g[k].Add([]float64{logDensity})
}

// Merge adds what is of other rows.
func (p *Partial) Merge(o *Partial) {
	p.Moments.Merge(o.Moments)
	p.Cells += o.Cells
	p.merge(&o.entropies)
}

// Alone returns the moments, and the diversity of the weights, of these rows and no others.
func (p *Partial) Alone() (*Moments, privacy.Diversity) {
	return p.Moments, p.diversity(p.Moments)
}

// Partials calls f with every block of rows and what its lane adds up, for so many components,
// and returns what all add up to.
func (r *Reader) Partials(k int, f func(lane int, x []float64, to *Partial)) (*Partial, error) {
	lanes := make([]*Partial, parallel.Lanes(r.N))
	err := r.Sweep(func(l, _ int, x []float64) {
		if lanes[l] == nil {
			lanes[l] = NewPartial(k, r.Dim)
		}
		f(l, x, lanes[l])
	})
	total := NewPartial(k, r.Dim)
	for _, p := range lanes {
		if p != nil {
			total.Merge(p)
		}
	}
	return total, err
}
