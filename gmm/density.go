package gmm

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/mixtures/passes"
	"github.com/collabdict/collabdict/internal/privacy"
)

// passOver returns a pass of m over the rows of r. If tilts is not nil, tilts[k] is added to
// the log density of component k.
func (m *Mixture) passOver(r *passes.Reader, tilts []float64) *passes.Pass {
	if r.Dim != m.Dim() {
		panic(errShape)
	}
	full := m.form == Full
	p := r.PassOf(m.Components(), full)
	for i, part := range m.parts {
		precision := part.diagonal
		if full {
			precision = part.root
		}
		logNorm := part.logNorm
		if tilts != nil {
			logNorm += tilts[i]
		}
		p.Model.Set(i, m.weights[i], m.means.RawRowView(i), precision, logNorm)
	}
	return p
}

// Statistics computes the moments of the rows of r (nil for none) about the centres (nil means the
// origin), combined with the moments of others, which have missing cells, if these are not nil. If
// measure is set, it also computes the diversity of their weights. Responsibilities follow from
// the densities N(x|μ_k, Λ_k⁻¹)·exp(tilts_k), where nil tilts mean K zeros. The moments are
// valid until the next pass over the rows.
func (m *Mixture) Statistics(r *passes.Reader, others *passes.Partial, centres *mat.Dense, tilts []float64, measure bool) (*passes.Moments, privacy.Diversity, error) {
	if r == nil {
		s, d := others.Alone()
		return s, d, nil
	}
	var about []float64
	if centres != nil {
		about = centres.RawMatrix().Data
	}
	return m.passOver(r, tilts).EStep(about, measure, others)
}

// blocks calls f with the densities of every block of rows; from is the index of the block's
// first row. It cannot fail for rows in memory.
func (m *Mixture) blocks(r *passes.Reader, f func(lane, from int, s *passes.Space)) error {
	return m.passOver(r, nil).Run(f)
}

// scoreOf sets the values of s to the scores of its rows. A row with missing cells gets its
// expected score.
func (m *Mixture) scoreOf(s *passes.Space) []float64 {
	sums := s.LogSums()
	out := s.Out[:len(sums)]
	clear(out)
	for k := range s.Components() {
		logd := s.LogDensities(k)
		for j, r := range s.Responsibilities(k) {
			if r > 0 {
				out[j] -= float64(r * logd[j])
			}
		}
	}
	for j, l := range sums {
		if math.IsNaN(l) || math.IsInf(l, 0) || math.IsNaN(out[j]) {
			out[j] = math.Inf(1)
		}
	}
	m.partialRows(s, func(j int, o *observer) { out[j] = o.expected() })
	return out
}

// surpriseOf sets the values of s to the surprises of its rows. The surprise is +Inf for a row
// so far out that its density is not a number, and the expected one for a row with missing
// cells.
func (m *Mixture) surpriseOf(s *passes.Space) []float64 {
	sums := s.LogSums()
	out := s.Out[:len(sums)]
	for j, l := range sums {
		if out[j] = -l; math.IsNaN(l) {
			out[j] = math.Inf(1)
		}
	}
	m.partialRows(s, func(j int, o *observer) { out[j] = o.surprise() })
	return out
}
