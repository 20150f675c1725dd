package dem

import (
	"math"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/columnstats"
	"github.com/collabdict/collabdict/internal/portable"
)

// limits bound the sums of every member.
type limits struct{ columnstats.Bounds }

// reach returns per column the largest root mean square that the distance from a point
// can have at any member: by Minkowski's inequality, that of the column plus the size of
// the point.
func (l limits) reach(point []float64) []float64 {
	out := make([]float64, len(point))
	for i, v := range l.RMS {
		out[i] = v + math.Abs(point[i])
	}
	return out
}

// sums returns the blocks of the statistics of k components about the origin, in the
// order of [gmm.Mixture.EStep] and without the log-likelihood. With weights 0 ≤ r ≤ 1,
// |Σ r d_i| ≤ N·rms(d_i) and |Σ r d_i d_j| ≤ N·rms(d_i)·rms(d_j) by Cauchy and Schwarz.
func (l limits) sums(k int, origin []float64, form gmm.Covariance) []collabdict.Block {
	return columnstats.Bounds{Rows: l.Rows, RMS: l.reach(origin)}.Moments(k, form == gmm.Full)
}

// logLik bounds |Σ_n ln Σ_k π_k N(x_n|k)|. No density is above its value at the mean;
// and ln Σ_k π_k N_k ≥ ln π_k + ln N_k for the component that makes most of it, where
// Σ_n (x_n−μ)ᵀΛ(x_n−μ) ≤ N Σ_ij |Λ_ij| c_i c_j with c_i = rms_i + |μ_i|. Components that
// are next to singular, and far below any such bound, do not loosen it.
func (l limits) logLik(m *gmm.Mixture) float64 {
	high, low := math.Inf(-1), math.Inf(-1)
	means, weights := m.Means(), m.Weights()
	for k, w := range weights {
		c := l.reach(means.RawRowView(k))
		peak := m.LogNorm(k)
		high = math.Max(high, peak)
		if w > 0 {
			low = math.Max(low, portable.Log(w)+peak-quadratic(m, k, c)/2)
		}
	}
	return l.Rows * (math.Max(math.Abs(high), math.Abs(low)) + 1e-6)
}

// quadratic returns Σ_ij |Λ_ij| c_i c_j of a component.
func quadratic(m *gmm.Mixture, k int, c []float64) (sum float64) {
	precision := m.Precision(k)
	for i := range c {
		if m.Form() != gmm.Full {
			sum += float64(precision.At(i, i) * c[i] * c[i])
			continue
		}
		for j := range c {
			sum += float64(math.Abs(precision.At(i, j)) * c[i] * c[j])
		}
	}
	return sum
}
