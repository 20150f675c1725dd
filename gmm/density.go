package gmm

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm/internal/passes"
	"github.com/collabdict/collabdict/gmm/privacy"
)

// passOver returns a pass of m over the rows of r.
func (m *Mixture) passOver(r *passes.Reader) *passes.Pass {
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
		p.Model.Set(i, m.weights[i], m.means.RawRowView(i), precision, part.logNorm)
	}
	return p
}

// Statistics computes the moments of the rows about the centres (nil is the origin) and,
// if measure is set, the diversity of their weights. The moments hold until the next pass
// over the rows.
func (m *Mixture) Statistics(r *passes.Reader, centres *mat.Dense, measure bool) (*passes.Moments, privacy.Diversity, error) {
	var about []float64
	if centres != nil {
		about = centres.RawMatrix().Data
	}
	return m.passOver(r).EStep(about, measure)
}

// blocks calls f with what m says of every block of rows, from being the place of
// the first one. Rows in memory give no error.
func (m *Mixture) blocks(r *passes.Reader, f func(lane, from int, s *passes.Space)) error {
	return m.passOver(r).Run(f)
}

// scoreOf sets the values of s to the scores of its rows.
func scoreOf(s *passes.Space) []float64 {
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
	return out
}
