package gmm

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/collabdict/collabdict/internal/mixtures/density"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/mixtures/passes"
)

// EM holds the settings of expectation maximisation. A field with its zero value takes its
// default.
type EM struct {
	// Form is the form of the covariance matrices, default Full.
	Form Covariance
	// RegCovar is added to the diagonal of every covariance matrix, default 1e-6.
	RegCovar float64
	// Tol stops EM when an iteration changes the mean log-likelihood by less than Tol nats per
	// row. The default is 1e-3; a negative value runs all iterations.
	Tol float64
	// Iterations is the maximum number of iterations, default 100.
	Iterations int
}

func (o EM) withDefaults() EM {
	if o.RegCovar == 0 {
		o.RegCovar = 1e-6
	}
	if o.Tol == 0 {
		o.Tol = 1e-3
	}
	if o.Iterations == 0 {
		o.Iterations = 100
	}
	return o
}

// Fitted is the result of EM.
type Fitted struct {
	Mixture *Mixture
	// Trace holds the mean log-likelihood of the rows before each iteration, in nats.
	Trace []float64
	// Converged reports whether EM stopped because of Tol.
	Converged bool
}

// Fit fits a mixture of k components to the rows of x, from a k-means++ start.
func Fit(x *mat.Dense, k int, o EM, src rand.Source) (*Fitted, error) {
	o = o.withDefaults()
	rows, _ := x.Dims()
	if k < 1 || k > rows {
		return nil, fmt.Errorf("components: want 1 to %d, the number of rows, got %d", rows, k)
	}
	if err := checkFinite(x); err != nil {
		return nil, err
	}
	start, err := hardStart(x, KMeans(x, k, src), o)
	if err != nil {
		return nil, fmt.Errorf("start: %w", err)
	}
	return FitFrom(start, x, o)
}

// hardStart makes one M-step with each row assigned to its nearest centre. A component without
// rows gets the covariance of all rows.
func hardStart(x, centres *mat.Dense, o EM) (*Mixture, error) {
	k, dim := centres.Dims()
	full := o.Form == Full
	r := passes.NewReader(Matrix(x)) // in memory, so passes cannot fail
	s, _ := passes.HardMoments(r, passes.NearestOf(centres), centres, full)
	m := &Mixture{form: o.Form, parts: make([]density.Part, k)}
	if floats.Min(s.N) == 0 {
		mean := mat.NewDense(1, dim, x.RawRowView(0))
		all, _ := passes.HardMoments(r, passes.OneComponent, mat.DenseCopyOf(mean), full)
		floats.Scale(1/all.N[0], all.First)
		p := &m.room(1, dim).parts[0]
		if err := partOf(all, p, o.Form, 0, all.First, o.RegCovar, make([]float64, dim)); err != nil {
			return nil, err
		}
		for i := range m.parts {
			m.parts[i] = *p
		}
	}
	return m.maximise(s, o.RegCovar, centres)
}

// FitFrom fits a mixture to the rows of x, starting from the given one. It keeps the form of
// start and ignores o.Form.
func FitFrom(start *Mixture, x *mat.Dense, o EM) (*Fitted, error) {
	o = o.withDefaults()
	if _, dim := x.Dims(); dim != start.Dim() {
		panic(errShape)
	}
	if err := checkFinite(x); err != nil {
		return nil, err
	}
	s := NewStepper(start, Matrix(x), o)
	out := &Fitted{}
	for n := range o.Iterations {
		mean, err := s.Expect()
		if err != nil {
			return nil, err
		}
		out.Trace = append(out.Trace, mean)
		if err := s.Maximise(); err != nil {
			return nil, fmt.Errorf("iteration %d: %w", n+1, err)
		}
		if n > 0 && math.Abs(out.Trace[n]-out.Trace[n-1]) < o.Tol {
			out.Converged = true
			break
		}
	}
	out.Mixture = s.Mixture()
	return out, nil
}

// EStep returns the sums over the rows of x that MStep needs, about the current means: K
// counts, K·M first moments, the second moments (K·M(M+1)/2 if Full, else K·M), and last the
// log-likelihood. Sums over disjoint sets of rows add up.
func (m *Mixture) EStep(x *mat.Dense) []float64 {
	if _, dim := x.Dims(); dim != m.Dim() {
		panic(errShape)
	}
	s, _, _ := m.evaluator().Statistics(passes.NewReader(Matrix(x)), nil, m.means, nil, false)
	return append(s.Pack(), s.LogLik)
}

// SumsLen returns the length of the result of EStep.
func (m *Mixture) SumsLen() int { return passes.PackedLen(m.Components(), m.Dim(), m.form == Full) + 1 }

// MStep returns the mixture of maximum likelihood for the given sums of EStep, with regCovar
// added to the diagonal of the covariances. A component without rows keeps its mean and
// precision.
func (m *Mixture) MStep(sums []float64, regCovar float64) (*Mixture, error) {
	if len(sums) != m.SumsLen() {
		return nil, fmt.Errorf("want %d sums, got %d", m.SumsLen(), len(sums))
	}
	return m.maximise(passes.Unpack(sums, m.Components(), m.Dim(), m.form == Full), regCovar, m.means)
}

func checkFinite(x *mat.Dense) error {
	rows, _ := x.Dims()
	for j := range rows {
		for i, v := range x.RawRowView(j) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("rows: row %d, column %d: want a finite value, got %g", j+1, i+1, v)
			}
		}
	}
	return nil
}
