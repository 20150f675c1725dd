package gmm

import (
	"math"

	"github.com/collabdict/collabdict/internal/mixtures/density"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/mixtures/passes"
	"github.com/collabdict/collabdict/internal/numeric/portable"
)

// FittedTo holds the numbers of rows that the parameters of a mixture were fitted to, so that
// one row can be taken out again.
type FittedTo struct {
	Counts []float64 // K values, Σ_n r_k(n) over the rows that gave means and precisions
	Own    float64   // rows that gave the weights, including those of their prior
	// Mean and Covariance are the weights, in rows, of the priors of a mean and of a covariance
	// matrix.
	Mean, Covariance float64
}

// EachLeftOut calls f as [Mixture.EachScores] does, with the surprise of each row under a
// mixture that was fitted to all rows except this one. The rows must be among those that m was
// fitted to; their responsibilities are taken from m.
//
// With d = x − μ_k, a = dᵀΛ_k d, r = r_k(x), N = N_k and priors worth λ₀ and ν rows, the mean
// and the covariance matrix without x have
//
//	x − μ' = c·d,  Σ' = κ(Σ − g ddᵀ)  with  c = (N+λ₀)/(N+λ₀−r),  κ = (N+ν)/(N+ν−r),  g = r·c/(N+ν),
//
// so that a' = c²/κ · a/(1−g·a) and ln|Σ'| = ln|Σ| + M ln κ + ln(1−g·a). The weight is π' =
// (π·n − r)/(n−1), where n is fit.Own. If Λ_k comes from a graphical lasso, this is an approximation.
// For a row with missing cells it is computed from the cells present.
func (m *Mixture) EachLeftOut(rows Rows, fit FittedTo, f func(from int, scores []float64)) error {
	if len(fit.Counts) != m.Components() {
		panic(errShape)
	}
	return m.evaluator().Blocks(passes.NewReader(rows), func(_, from int, s *passes.Space) {
		out := s.Out[:len(s.LogSums())]
		terms := mat.NewDense(len(out), m.Components(), nil)
		for k := range m.parts {
			logd := s.LogDensities(k)
			for j, r := range s.Responsibilities(k) {
				terms.Set(j, k, m.leftOut(k, r, logd[j], m.parts[k].LogNorm, m.Dim(), fit))
			}
		}
		clear(out)
		m.evaluator().EachPartial(s, func(j int, o *density.Observer) {
			for k, r := range o.Responsibilities {
				terms.Set(j, k, m.leftOut(k, r, o.LogDensities[k], o.Norms[k], m.Dim()-len(o.Missing), fit))
			}
			out[j] = o.Surprise() + o.Total // what the missing cells add: the present ones follow from terms
		})
		for j := range out {
			out[j] -= density.LogSum(terms.RawRowView(j))
		}
		f(from, out)
	})
}

// leastLeft is the lower limit of 1−g·a, which rounding or a graphical lasso could make
// negative.
const leastLeft = 1e-6

// leftOut returns ln π'_k N(x|μ'_k, Σ'_k) for a row of dim values. logd is the row's log
// density with x included, and norm the log density at the mean.
func (m *Mixture) leftOut(k int, r, logd, norm float64, dim int, fit FittedTo) float64 {
	n := fit.Counts[k]
	weight := (m.weights[k]*fit.Own - r) / (fit.Own - 1)
	meanRows, covarianceRows := n+fit.Mean-r, n+fit.Covariance-r
	if !(weight > 0 && meanRows > 0 && covarianceRows > 0) {
		return math.Inf(-1)
	}
	a := 2 * (norm - logd)
	c, kappa := (n+fit.Mean)/meanRows, (n+fit.Covariance)/covarianceRows
	left := math.Max(1-float64(r*c/(n+fit.Covariance)*a), leastLeft)
	logDet := float64(float64(dim)*portable.Log(kappa)) + portable.Log(left)
	return portable.Log(weight) + norm - float64(0.5*logDet) - float64(0.5*c*c/kappa*a/left)
}
