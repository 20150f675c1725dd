package ggm

import (
	"math"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/columnstats"
)

// limits bound this learner's sums at every member.
type limits struct{ columnstats.Bounds }

// logLik bounds |Σ_n ln Σ_k π_k N(x_n|k)| for any weights. No density is above
// its value at the mean; and ln Σ π_k N_k ≥ Σ π_k ln N_k (Jensen), where
// Σ_n (x_n−μ)ᵀΛ(x_n−μ) ≤ N Σ_ij |Λ_ij| c_i c_j with c_i = rms_i + |μ_i|.
func (l limits) logLik(m *gmm.Mixture) float64 {
	high, low := math.Inf(-1), math.Inf(1)
	c := make([]float64, m.Dim())
	means := m.Means()
	for k := range m.Components() {
		precision, logNorm := m.Precision(k), m.LogNorm(k)
		for i, mu := range means.RawRowView(k) {
			c[i] = l.RMS[i] + math.Abs(mu)
		}
		quadratic := 0.0
		for i := range c {
			for j := range c {
				quadratic += float64(math.Abs(precision.At(i, j)) * c[i] * c[j])
			}
		}
		high = math.Max(high, logNorm)
		low = math.Min(low, logNorm-quadratic/2)
	}
	return l.Rows * (math.Max(math.Abs(high), math.Abs(low)) + 1e-6)
}
