package em

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/mixtures/glasso"
	"github.com/collabdict/collabdict/internal/mixtures/passes"
)

// relative is a regularisation that does not depend on the number of rows, on K, or on units.
// With w the variances of the columns within components, pooled over all components, a row in
// component k has the density
//
//	f_k(x) = N(x|μ_k, Λ_k⁻¹) · exp(−λ/2 Σ_{i≠j} √(w_i w_j)|Λ_k,ij|)
//
// instead of N(x|μ_k, Λ_k⁻¹), so every row pays for the edges of its component. The prior of
// the precisions is an inverse Wishart distribution worth ν rows with the covariance matrix
// diag(w),
//
//	ln p(Λ_k) = ν/2 [ln|Λ_k| − Σ_i w_i Λ_k,ii] + const,
//
// so a component of few rows keeps a sensible shape. The variances are those within the
// clusters of the start, and stay fixed, so EM always raises the same objective.
type relative struct {
	lambda    float64
	variances []float64 // w, M values above 0
}

const (
	// leastPrior is the least ν. With more than columnsPerPrior times as many columns, ν grows with
	// their number, because M-steps of wide rows take too long with a weak prior.
	leastPrior, columnsPerPrior = 10, 8
	// narrowest is the least variance of a column within a component, as a share of w. A component in
	// which a column hardly varied, as most of its values are the same, would take any other value for
	// an impossible one.
	narrowest = 0.6
)

// priorRows returns ν for a number of columns.
func priorRows(columns int) float64 { return max(leastPrior, float64(columns)/columnsPerPrior) }

// lasso returns the problem of the M-step in columns of unit pooled variance. With the scatter
// S of n rows, it is the graphical lasso of (S + ν·1)/(n + ν) with the penalty λn/(n + ν) off
// the diagonal. Squares on the diagonal of S are at least n times the narrowest variance.
func (r *relative) lasso(n float64, s *mat.SymDense) glasso.Problem {
	more := priorRows(len(r.variances))
	for i, v := range r.variances {
		for j := i; j < len(r.variances); j++ {
			x := s.At(i, j) / math.Sqrt(v*r.variances[j])
			if i == j {
				x = math.Max(x, narrowest*n) + more
			}
			s.SetSym(i, j, x/(n+more))
		}
	}
	return glasso.Problem{S: s, Penalty: r.lambda * n / (n + more), FreeDiagonal: true}
}

// scaled converts a precision to columns of unit pooled variance (nil gives nil); unscaled
// converts it back to the columns of the rows.
func (r *relative) scaled(precision *mat.SymDense) *mat.SymDense {
	if precision == nil {
		return nil
	}
	return r.times(precision, func(v float64) float64 { return v })
}

func (r *relative) unscaled(precision *mat.SymDense) *mat.SymDense {
	return r.times(precision, func(v float64) float64 { return 1 / v })
}

func (r *relative) times(precision *mat.SymDense, of func(float64) float64) *mat.SymDense {
	out := mat.NewSymDense(len(r.variances), nil)
	for i, v := range r.variances {
		for j := i; j < len(r.variances); j++ {
			if x := precision.At(i, j); x != 0 {
				out.SetSym(i, j, x*math.Sqrt(of(v)*of(r.variances[j])))
			}
		}
	}
	return out
}

func (r *relative) logDensity(logDet float64, precision *mat.SymDense) float64 {
	trace := 0.0
	for i, v := range r.variances {
		trace += float64(v * precision.At(i, i))
	}
	return priorRows(len(r.variances)) / 2 * (logDet - trace)
}

func (p prior) withVariances(variances []float64) prior {
	p.relative = &relative{lambda: p.relative.lambda, variances: variances}
	return p
}

// tilts returns, for each component, the price that a row pays in it, in nats, as a value of at
// most 0.
func (r *relative) tilts(m *gmm.Mixture) []float64 {
	out := make([]float64, m.Components())
	for k := range out {
		precision, norm := m.Precision(k), 0.0
		for i, v := range r.variances {
			for j := i + 1; j < len(r.variances); j++ {
				norm += float64(math.Sqrt(v*r.variances[j]) * math.Abs(precision.At(i, j)))
			}
		}
		out[k] = -r.lambda * norm // both triangles, halved
	}
	return out
}

// spread returns the variances within components, pooled over all components of a mixture.
func spread(m *gmm.Mixture) []float64 {
	out := make([]float64, m.Dim())
	for k, weight := range m.Weights() {
		covariance := m.Covariance(k)
		for i := range out {
			out[i] += float64(weight * covariance.At(i, i))
		}
	}
	return out
}

const (
	// flatShare is the minimum share of a column's variance that is within components.
	flatShare = 1e-4
	// constantShare is the share of a column's mean square below which its variance is only
	// rounding.
	constantShare = 1e-12
	// leastVariance is the variance above which its inverse, and products of inverses, are
	// finite.
	leastVariance = 1e-150
)

// pooledVariances returns the variances within components, pooled over all components. A column
// that does not vary gets the mean of the others, because its rows do not show its scale.
func pooledVariances(s *passes.Moments) []float64 {
	n := passes.Sum(s.N)
	within := make([]float64, s.Dim)
	sum, varies := 0.0, 0
	for i := range s.Dim {
		first, second := 0.0, 0.0
		for k, rows := range s.N {
			a, b := s.First[k*s.Dim+i], s.Second[(k*s.Dim+i)*s.Dim+i]
			first += a
			second += b
			if rows > 0 {
				within[i] += math.Max(0, b-float64(a*a/rows))
			}
		}
		all := second - float64(first*first/n)
		if all <= math.Max(constantShare*second, leastVariance*n) {
			within[i] = 0
			continue
		}
		within[i] = math.Max(within[i], math.Max(float64(flatShare*all), leastVariance*n)) / n
		sum += within[i]
		varies++
	}
	for i, v := range within {
		switch {
		case v == 0 && varies > 0:
			within[i] = sum / float64(varies)
		case v == 0:
			within[i] = 1
		}
	}
	return within
}

// PrecisionBound returns an upper bound of ‖Λ‖₂ for a component of n rows, with the absolute penalty ρ,
// or if that is 0, with the relative prior of the given variances. The objective is ln|Λ| −
// Tr(ΛS) − penalty(Λ), and the penalty grows in proportion to Λ. At the maximum the derivative
// by a factor of Λ is 0:
//
//	Tr(ΛS) + penalty(Λ) = M.
//
// As S is positive semi-definite, penalty(Λ) ≤ M. With the penalty ρ/(n + 1) on all of ‖Λ‖₁,
//
//	‖Λ‖₂ ≤ Tr Λ ≤ ‖Λ‖₁ ≤ M(n + 1)/ρ.
//
// In the relative form, (n + ν)S = C + ν diag(w), where the scatter C of n rows is positive
// semi-definite. The penalty off the diagonal is at least 0, so ν Tr(Λ diag(w)) ≤ (n + ν)M, and
//
//	‖Λ‖₂ ≤ Tr Λ ≤ Σ_i w_i Λ_ii / min w ≤ M(n + ν)/(ν min w).
func PrecisionBound(n float64, columns int, rho float64, variances []float64) float64 {
	if rho > 0 {
		return float64(columns) * (n + 1) / rho
	}
	more := priorRows(columns)
	return float64(columns) * (n + more) / (more * slices.Min(variances))
}
