package ggm

import (
	"math"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/columnstats"
)

// limits bound this learner's sums at every member.
type limits struct{ columnstats.Bounds }

// moments returns the blocks of packed moments about the origin with weights
// 0 ≤ r ≤ 1 for k components.
func (l limits) moments(k int) []collabdict.Block {
	out := l.firstMoments(nil, k)
	for i, v := range l.RMS {
		for _, w := range l.RMS[i:] {
			out = columnstats.AppendMoment(out, collabdict.SecondMoments, k, l.Rows*v*w)
		}
	}
	return out
}

// firstMoments appends the blocks of the counts and the first moments of k components.
func (l limits) firstMoments(to []collabdict.Block, k int) []collabdict.Block {
	to = columnstats.AppendMoment(to, collabdict.Counts, k, l.Rows)
	for _, v := range l.RMS {
		to = columnstats.AppendMoment(to, collabdict.FirstMoments, k, l.Rows*v)
	}
	return to
}

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
