package em

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/mixtures/glasso"
	"github.com/collabdict/collabdict/internal/mixtures/passes"
	"github.com/collabdict/collabdict/internal/numeric/parallel"
	"github.com/collabdict/collabdict/internal/numeric/portable"
)

// prior is the form of sparse precision matrices, with a prior of the parameters with m₀ = 0: Eq. (8)
// of Idé et al. 2024 with its penalty ρ, or, if relative is not nil, one in which every row pays for
// its component. Weights are each participant's own.
type prior struct {
	lambda0, rho float64
	relative     *relative
	share        float64 // Config.Sparse
	blurred      bool    // sums have noise
	steps        int     // maximum number of the graphical lasso's Newton steps; 0 for its default
	shared       *Solutions
}

// nearMaximum is how far an M-step with the relative prior may end below its maximum, in nats of the
// log posterior per free element of a component's precision. Chance moves the maximum by half a nat
// per parameter. The next round continues from there.
const nearMaximum = 0.05

// minRows is the smallest N̄_k for which a component is updated.
const minRows = 1

// component is the result of Eqs. (14) to (16) for a component's sums.
type component struct {
	mean      []float64
	precision *mat.SymDense
	stalled   *glasso.StalledError // nil if the precision is optimal
}

// optimise applies Eqs. (14) to (16) to a component, given its sums over all participants about
// the origin. n is at least minRows; second holds an upper triangle. start, the current
// precision, may be nil.
func (p prior) optimise(n float64, first, second []float64, start *mat.SymDense) (component, error) {
	if p.shared == nil {
		return p.solve(n, first, second, start)
	}
	return p.shared.of(p.keyOf(n, first, second, start), func() (component, error) {
		return p.solve(n, first, second, start)
	})
}

func (p prior) solve(n float64, first, second []float64, start *mat.SymDense) (c component, err error) {
	c.mean = make([]float64, len(first))
	floats.ScaleTo(c.mean, 1/(p.lambda0+n), first)
	s := scatter(first, second, c.mean)
	var problem glasso.Problem
	least := 0.0 // smallest eigenvalue of a scatter matrix without noise
	if p.relative != nil {
		more := priorRows(len(first))
		problem, least = p.relative.lasso(n, s), more/(n+more)
		problem.Gap = 2 * nearMaximum / (n + more)
		start = p.relative.scaled(start)
	} else {
		problem = p.lasso(n, s)
	}
	if p.blurred {
		passes.Raise(s, least) // s is the matrix in problem
	}
	problem.MaxSteps = p.steps
	r, err := problem.Solve(start)
	// A solver that stalls is no worse than its start. That is enough for generalised EM, whose
	// objective then does not fall.
	if err != nil && !errors.As(err, &c.stalled) {
		return c, err
	}
	c.precision = r.Precision
	if p.relative != nil {
		c.precision = p.relative.unscaled(r.Precision)
	}
	return c, nil
}

func (p prior) noise(components int, vector string) (part, draw string) {
	return partName(components), fmt.Sprint(vector, " components ", components, " lambda ", p.lambda())
}

// lambda returns the penalty of the relative prior, or 0 for the absolute one.
func (p prior) lambda() float64 {
	if p.relative == nil {
		return 0
	}
	return p.relative.lambda
}

// tilts returns the tilts of the relative prior, or nil for the absolute one.
func (p prior) tilts(m *gmm.Mixture) []float64 {
	if p.relative == nil {
		return nil
	}
	return p.relative.tilts(m)
}

func (p prior) meanRows() float64 { return p.lambda0 }

func (p prior) averages() bool { return p.blurred }

func (p prior) relativePrior() *relative { return p.relative }

// OwnRows is the number of rows that each component counts in a participant's weights in addition
// to its actual rows. With the prior ∏_k π_k^OwnRows, a pattern without any own row is rare but not
// impossible.
const OwnRows = 0.1

// evidence returns, if components have no price,
//
//	e^s = −Σ_n Σ_k r_k(n) ln r_k(n) + Σ_k N_k^s ln π_k^s  with  π_k^s = N_k^s / N^s.
func (p prior) evidence(n int, s *passes.Moments, cells float64) (sum float64, weights []float64) {
	more := 0.0
	if p.relative != nil {
		more = OwnRows
	}
	weights = make([]float64, s.K)
	floats.AddConst(more, weights)
	floats.Add(weights, s.N)
	sum = s.Entropy + cells
	if price := priceFor(p.share, n, s.K); price.nats > 0 {
		var active int
		weights, active = price.weights(weights)
		sum -= float64(price.nats * float64(active))
	} else {
		floats.Scale(1/passes.Sum(weights), weights)
	}
	for k, w := range weights {
		if w > 0 {
			sum += float64((s.N[k] + more) * portable.Log(w))
		}
	}
	return sum, weights
}

// step applies Eqs. (14) to (16) of Idé et al. 2024. The objective is the lower bound of the log
// posterior,
//
//	Σ_{s,n,k} r_k(n) [ln π_k^s + ln N(x|μ_k, Λ_k⁻¹) − ln r_k(n)]
//	+ Σ_k [½ ln|Λ_k| − λ₀/2 μ_kᵀΛ_kμ_k − ρ/2 ‖Λ_k‖₁].
func (p prior) step(m *gmm.Mixture, total, weights []float64, _ float64) (out stepped, err error) {
	last := len(total) - 1
	s := passes.Unpack(total[:last], m.Components(), m.Dim(), true)
	next, err := p.maximise(m, s)
	if err != nil {
		return out, err
	}
	if out.model, err = next.model.WithWeights(weights); err != nil {
		return out, err
	}
	out.rows, out.stalled, out.objective = s.N, next.stalled, total[last]+next.bound
	return out, nil
}

// scatter returns Σ_n r_k(n)(x_n − m)(x_n − m)ᵀ + λ₀mmᵀ with the new mean m of a component.
func scatter(first, second, mean []float64) *mat.SymDense {
	dim := len(first)
	s := mat.NewSymDense(dim, nil)
	for i := range dim {
		for j := i; j < dim; j++ {
			s.SetSym(i, j, second[i*dim+j]-float64(first[i]*mean[j]))
		}
	}
	return s
}

// lasso returns the problem of Eq. (16) for a component with the given scatter.
func (p prior) lasso(n float64, s *mat.SymDense) glasso.Problem {
	// With m₀ = 0, −m̄m̄ᵀ + λ₀/(λ₀+N̄) m̄m̄ᵀ = −N̄/(λ₀+N̄) m̄m̄ᵀ. Dividing (16) by
	// (N̄+1)/N̄ makes it the graphical lasso of N̄/(N̄+1) Σ with penalty ρ/(N̄+1).
	dim := s.SymmetricDim()
	for i := range dim {
		for j := i; j < dim; j++ {
			s.SetSym(i, j, s.At(i, j)/(n+1))
		}
	}
	return glasso.Problem{S: s, Penalty: p.rho / (n + 1)}
}

// maximised is what follows from the sums over all participants: the successor of a mixture, and what
// the objective adds up of it. Neither depends on weights, which may be a participant's own.
type maximised struct {
	// model has equal weights.
	model   *gmm.Mixture
	stalled *glasso.StalledError // of the graphical lasso that ended farthest from its solution; nil if all are solved
	bound   float64
}

// maximise returns m's successor. It updates every component with at least minRows from the sums
// over all participants, and keeps the others. If columns are widened, this is not the maximum; then
// m is its own successor unless another one is better.
func (p prior) maximise(m *gmm.Mixture, s *passes.Moments) (*maximised, error) {
	return p.shared.maximised(p, m, s, func() (*maximised, error) { return p.successor(m, s) })
}

func (p prior) successor(m *gmm.Mixture, s *passes.Moments) (*maximised, error) {
	means := m.Means()
	precisions := make([]*mat.SymDense, s.K)
	stalls := make([]*glasso.StalledError, s.K)
	dim := s.Dim
	err := parallel.Try(s.K, func(k int) error {
		old := m.Precision(k)
		if s.N[k] < minRows {
			precisions[k] = old
			return nil
		}
		c, err := p.optimise(s.N[k], s.First[k*dim:(k+1)*dim], s.Second[k*dim*dim:(k+1)*dim*dim], old)
		if err != nil {
			return fmt.Errorf("component %d of %d: %w", k+1, s.K, err)
		}
		means.SetRow(k, c.mean)
		precisions[k], stalls[k] = c.precision, c.stalled
		return nil
	})
	if err != nil {
		return nil, err
	}
	out := &maximised{}
	for _, e := range stalls {
		if e != nil && (out.stalled == nil || e.Gap > out.stalled.Gap) {
			out.stalled = e
		}
	}
	equal := make([]float64, s.K)
	floats.AddConst(1/float64(s.K), equal)
	if out.model, err = gmm.NewMixture(equal, means, precisions); err != nil {
		return nil, err
	}
	if out.bound = p.bound(out.model, s); p.relative == nil {
		return out, nil
	}
	if before := p.bound(m, s); before > out.bound {
		out.model, err = m.WithWeights(equal)
		out.bound, out.stalled = before, nil
	}
	return out, err
}

// bound returns what a mixture adds to the objective: all but the evidence.
func (p prior) bound(m *gmm.Mixture, s *passes.Moments) float64 {
	sum := expected(m, s, nil) + p.logDensity(m)
	for k, tilt := range p.tilts(m) {
		sum += float64(s.N[k] * tilt)
	}
	return sum
}

// logDensity returns ln p(μ, Λ) of Eq. (8) up to a constant, Σ_k ½ ln|Λ_k| − λ₀/2 μ_kᵀΛ_kμ_k −
// ρ/2 ‖Λ_k‖₁, or the log density of the relative form.
func (p prior) logDensity(m *gmm.Mixture) float64 {
	sum := 0.0
	means := m.Means()
	for k := range m.Components() {
		precision, mu, square, norm := m.Precision(k), means.RawRowView(k), 0.0, 0.0
		for i := range mu {
			for j := range mu {
				v := precision.At(i, j)
				square += float64(float64(mu[i]*v) * mu[j])
				norm += math.Abs(v)
			}
		}
		sum -= float64(p.lambda0 / 2 * square)
		if p.relative != nil {
			sum += p.relative.logDensity(m.LogDet(k), precision)
		} else {
			sum += m.LogDet(k)/2 - float64(p.rho/2*norm)
		}
	}
	return sum
}

// expected returns Σ_k Σ_n r_k(n) ln N(x_n|μ_k, Λ_k⁻¹) in nats. s holds the rows' moments about
// an origin of M values; nil means 0.
func expected(m *gmm.Mixture, s *passes.Moments, origin []float64) (sum float64) {
	means, dim := m.Means(), s.Dim
	mu := make([]float64, dim)
	for k, n := range s.N {
		copy(mu, means.RawRowView(k))
		for i, v := range origin {
			mu[i] -= v
		}
		precision := m.Precision(k)
		first, second := s.First[k*dim:(k+1)*dim], s.Second[k*s.Stride():(k+1)*s.Stride()]
		about := func(i, j int, square float64) float64 {
			return square - float64(first[i]*mu[j]) - float64(mu[i]*first[j]) + float64(n*mu[i]*mu[j])
		}
		squares := 0.0
		for i := range dim {
			if !s.Full {
				squares += float64(precision.At(i, i) * about(i, i, second[i]))
				continue
			}
			squares += float64(precision.At(i, i) * about(i, i, second[i*dim+i]))
			for j := i + 1; j < dim; j++ {
				squares += float64(2 * precision.At(i, j) * about(i, j, second[i*dim+j]))
			}
		}
		sum += float64(n*m.LogNorm(k)) - squares/2
	}
	return sum
}
