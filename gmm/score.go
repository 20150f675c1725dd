package gmm

import (
	"math"

	"github.com/collabdict/collabdict/internal/mixtures/density"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/mixtures/passes"
	"github.com/collabdict/collabdict/internal/numeric/lanes"
	"github.com/collabdict/collabdict/internal/numeric/partial"
)

// LogDensity returns ln Σ_k π_k N(x|μ_k, Λ_k⁻¹) of a row in nats. If cells are missing (NaN),
// it is the log density of the other cells.
func (m *Mixture) LogDensity(x []float64) float64 { return m.LogDensities(nil, m.row(x))[0] }

// LogDensities computes LogDensity of every row of x into dst, which it allocates if nil.
func (m *Mixture) LogDensities(dst []float64, x *mat.Dense) []float64 {
	return m.perRow(dst, x, func(s *passes.Space, out []float64) { copy(out, m.logSums(s)) })
}

// MeanLogLik returns the mean of LogDensity over the rows.
func (m *Mixture) MeanLogLik(rows Rows) (float64, error) {
	r := passes.NewReader(rows)
	lane := make([]float64, lanes.Count(r.N))
	err := m.evaluator().Blocks(r, func(l, _ int, s *passes.Space) {
		for _, v := range m.logSums(s) {
			lane[l] += v
		}
	})
	return passes.Sum(lane) / float64(r.N), err
}

// Score returns the anomaly score of a row, Eqs. (19) and (20) of Idé et al. 2024: −ln N(x|μ_k,
// Λ_k⁻¹) averaged over the components with the weights r_k(x). It is +Inf for a row so far out
// that its density is not a number.
func (m *Mixture) Score(x []float64) float64 { return m.Scores(nil, m.row(x))[0] }

// Scores computes Score of every row of x into dst, which it allocates if nil.
func (m *Mixture) Scores(dst []float64, x *mat.Dense) []float64 {
	return m.perRow(dst, x, func(s *passes.Space, out []float64) { copy(out, m.evaluator().Scores(s)) })
}

// EachScores calls f with the surprise −ln p(x), in nats, of the rows of every block; from is
// the index of the block's first row. A pattern that is rare at this participant scores high,
// however common it is elsewhere. For a row with missing cells (NaN), the score is −ln p(x_o) of
// the cells present plus the expected surprise of the missing ones, so that scores compare.
// EachScores calls f for blocks in any order, and for several at the same time; scores is valid
// until f returns.
func (m *Mixture) EachScores(rows Rows, f func(from int, scores []float64)) error {
	return m.evaluator().Blocks(passes.NewReader(rows), func(_, from int, s *passes.Space) { f(from, m.evaluator().Surprises(s)) })
}

// Expected is a mixture that scores rows by [Mixture.Score]. The weights have a part in this score
// only through the responsibilities.
type Expected struct{ *Mixture }

// EachScores calls f as [Mixture.EachScores] does.
func (m Expected) EachScores(rows Rows, f func(from int, scores []float64)) error {
	return m.evaluator().Blocks(passes.NewReader(rows), func(_, from int, s *passes.Space) { f(from, m.evaluator().Scores(s)) })
}

// Responsibilities returns r_k(x) of Eq. (12) of Idé et al. 2024 as N rows of K values with a
// sum of 1. Values below e^−600 are 0.
func (m *Mixture) Responsibilities(x *mat.Dense) *mat.Dense {
	rows, _ := x.Dims()
	out := mat.NewDense(rows, m.Components(), nil)
	_ = m.evaluator().Blocks(passes.NewReader(Matrix(x)), func(_, lo int, s *passes.Space) {
		for k := range m.parts {
			for j, r := range s.Responsibilities(k) {
				out.Set(lo+j, k, r)
			}
		}
		m.evaluator().EachPartial(s, func(j int, o *density.Observer) { out.SetRow(lo+j, o.Responsibilities) })
	})
	return out
}

// logSums returns ln p(x) of the rows of s, computed from the cells present.
func (m *Mixture) logSums(s *passes.Space) []float64 {
	out := s.LogSums()
	m.evaluator().EachPartial(s, func(j int, o *density.Observer) { out[j] = o.Total })
	return out
}

func (m *Mixture) evaluator() density.Density { return density.New(m, m.weights, m.means, m.parts) }

func (m *Mixture) row(x []float64) *mat.Dense {
	if len(x) != m.Dim() {
		panic(errShape)
	}
	return mat.NewDense(1, len(x), x)
}

func (m *Mixture) perRow(dst []float64, x *mat.Dense, f func(s *passes.Space, out []float64)) []float64 {
	rows, _ := x.Dims()
	if dst == nil {
		dst = make([]float64, rows)
	}
	if len(dst) != rows {
		panic(errShape)
	}
	_ = m.evaluator().Blocks(passes.NewReader(Matrix(x)), func(_, lo int, s *passes.Space) { f(s, dst[lo:lo+len(s.LogSums())]) })
	return dst
}

// Complete returns the rows with missing cells replaced by their conditional means.
func (m *Mixture) Complete(z *mat.Dense) (*mat.Dense, error) {
	out := mat.DenseCopyOf(z)
	n, _ := z.Dims()
	var o *density.Observer
	for i := range n {
		if row := out.RawRowView(i); partial.Any(row) {
			if o == nil {
				o = m.evaluator().Observer(nil)
			}
			o.Complete(row)
		}
	}
	return out, nil
}

// BIC returns −2 ln L + P ln N for the N rows of x, where P is the number of free parameters.
func (m *Mixture) BIC(x *mat.Dense) float64 {
	rows, _ := x.Dims()
	n := float64(rows)
	mean, _ := m.MeanLogLik(Matrix(x))
	return -2*n*mean + float64(m.FreeParameters())*math.Log(n)
}

// FreeParameters returns P: K−1 weights, K·M means and the free values of the covariances.
func (m *Mixture) FreeParameters() int {
	k, dim := m.Components(), m.Dim()
	per := map[Covariance]int{Full: dim * (dim + 1) / 2, Diag: dim, Spherical: 1}
	return k - 1 + k*dim + k*per[m.form]
}
