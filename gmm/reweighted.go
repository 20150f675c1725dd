package gmm

import (
	"github.com/collabdict/collabdict/internal/kernels/blas"
	"github.com/collabdict/collabdict/internal/mixtures/passes"
	"github.com/collabdict/collabdict/internal/numeric/lanes"
)

// Reweighted returns the mixture with the weights that fit the given rows best, found by EM steps
// in which only the weights change. The number more, possibly a fraction, is added to the number of
// rows of each component.
func (m *Mixture) Reweighted(rows Rows, more float64) (*Mixture, error) {
	const steps = 20
	r, out := passes.NewReader(rows), m
	for range steps {
		parts := make([][]float64, lanes.Count(r.N))
		err := out.evaluator().Blocks(r, func(lane, _ int, s *passes.Space) {
			if parts[lane] == nil {
				parts[lane] = make([]float64, s.Components())
			}
			for k := range parts[lane] {
				parts[lane][k] += passes.Sum(s.Responsibilities(k))
			}
		})
		if err != nil {
			return nil, err
		}
		next := *out
		next.weights = make([]float64, len(m.weights))
		for k := range next.weights {
			next.weights[k] = more
		}
		for _, l := range parts {
			if l != nil {
				blas.AddScaled(next.weights, 1, l)
			}
		}
		sum := passes.Sum(next.weights)
		for k := range next.weights {
			next.weights[k] /= sum
		}
		out = &next
	}
	return out, nil
}
