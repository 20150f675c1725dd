package dem

import (
	"math"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/data/columnstats"
)

// limits holds bounds for the sums of every member.
type limits struct{ columnstats.Bounds }

// reach returns, per column, an upper bound of the root mean square distance from a point to
// the rows of any member. By Minkowski's inequality it is the column's root mean square plus
// the size of the point.
func (l limits) reach(point []float64) []float64 {
	out := make([]float64, len(point))
	for i, v := range l.RMS {
		out[i] = v + math.Abs(point[i])
	}
	return out
}

// sums returns the blocks of the statistics of k components about the origin, in the order of
// [gmm.Mixture.SumsAbout]. For weights 0 ≤ r ≤ 1, |Σ r d_i| ≤ N·rms(d_i) and |Σ r d_i d_j| ≤
// N·rms(d_i)·rms(d_j) by Cauchy and Schwarz.
func (l limits) sums(k int, origin []float64, form gmm.Covariance) []collabdict.Block {
	moments := columnstats.Bounds{Rows: l.Rows, RMS: l.reach(origin)}.Moments(k, form == gmm.Full)
	return columnstats.AppendBlock(moments, 1, l.entropy(k))
}

// entropy returns an upper bound of −Σ_n Σ_k r_k(n) ln r_k(n), which is at least 0.
func (l limits) entropy(k int) float64 { return l.Rows * math.Max(math.Log(float64(k)), 1e-6) }

// within moves an entropy that rounding has pushed beyond its bounds back into them.
func (l limits) within(v float64, k int) float64 { return math.Max(0, math.Min(v, l.entropy(k))) }
