package gmm

import (
	"fmt"
	"math"

	"github.com/collabdict/collabdict/internal/mixtures/density"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	kernels "github.com/collabdict/collabdict/internal/kernels/blas"
	"github.com/collabdict/collabdict/internal/mixtures/passes"
	"github.com/collabdict/collabdict/internal/numeric/parallel"
	"github.com/collabdict/collabdict/internal/numeric/portable"
)

// maximise is the M-step of plain EM, given moments about the centres.
func (m *Mixture) maximise(s *passes.Moments, regCovar float64, centres *mat.Dense) (*Mixture, error) {
	to := &maximiser{out: m.room(s.K, s.Dim)}
	if err := to.maximise(m, s, regCovar, centres); err != nil {
		return nil, err
	}
	return to.out.finished(), nil
}

// room returns a mixture of m's form whose values are still to be filled in. It has no
// precision matrices, which only the Full form needs.
func (m *Mixture) room(k, dim int) *Mixture {
	out := &Mixture{form: m.form, weights: make([]float64, k), means: mat.NewDense(k, dim, nil), parts: make([]density.Part, k)}
	for i := range out.parts {
		out.parts[i].Diagonal = make([]float64, dim)
		if m.form == Full {
			out.parts[i].Root = make([]float64, dim*dim)
		}
	}
	return out
}

// finished returns a copy of a mixture that was filled in, with its precision matrices.
func (m *Mixture) finished() *Mixture {
	out := m.room(m.Components(), m.Dim())
	copy(out.weights, m.weights)
	out.means.Copy(m.means)
	for k, p := range m.parts {
		q := &out.parts[k]
		take(q, p)
		if m.form == Full {
			out.precisions = append(out.precisions, multiplied(q))
		}
	}
	return out
}

// multiplied returns the precision matrix UᵀU of p, and sets the diagonal of p to its own.
func multiplied(p *density.Part) *mat.SymDense {
	dim := len(p.Diagonal)
	product := make([]float64, dim*dim)
	for k := range dim {
		u := p.Root[k*dim : (k+1)*dim]
		for i := k; i < dim; i++ {
			kernels.AddScaled(product[i*dim+i:(i+1)*dim], u[i], u[i:])
		}
	}
	for i := range dim {
		p.Diagonal[i] = product[i*dim+i]
	}
	return mat.NewSymDense(dim, product)
}

// maximiser computes M-steps into the same mixture. Only the first one allocates.
type maximiser struct {
	out *Mixture // without precisions

	old      *Mixture
	sums     *passes.Moments
	centres  *mat.Dense
	regCovar float64
	total    float64

	errs  []error
	work  []float64 // K by M by 2 values
	solve func(k int)
}

func (x *maximiser) maximise(old *Mixture, s *passes.Moments, regCovar float64, centres *mat.Dense) error {
	if x.solve == nil {
		x.solve = x.component
		x.errs, x.work = make([]error, s.K), make([]float64, 2*s.K*s.Dim)
	}
	x.old, x.sums, x.centres, x.regCovar, x.total = old, s, centres, regCovar, passes.Sum(s.N)
	if !(x.total > 0) {
		return fmt.Errorf("want sums over at least 1 row, got %g rows", x.total)
	}
	parallel.For(s.K, x.solve)
	for k, err := range x.errs {
		if err != nil {
			return fmt.Errorf("component %d of %d: %w", k+1, s.K, err)
		}
	}
	return nil
}

// vanished is the N_k below which a component has too few rows for an estimate.
const vanished = 1e-12

func (x *maximiser) component(k int) {
	s, dim, p := x.sums, x.sums.Dim, &x.out.parts[k]
	x.out.weights[k] = s.N[k] / x.total
	x.errs[k] = nil
	mean, centre := x.out.means.RawRowView(k), x.centres.RawRowView(k)
	if s.N[k] < vanished {
		copy(mean, centre)
		take(p, x.old.parts[k])
		return
	}
	work := x.work[2*k*dim : 2*(k+1)*dim]
	shift := work[:dim]
	floats.ScaleTo(shift, 1/s.N[k], s.First[k*dim:(k+1)*dim])
	floats.AddTo(mean, centre, shift)
	x.errs[k] = partOf(s, p, x.out.form, k, shift, x.regCovar, work[dim:])
}

// take sets p to a copy of o.
func take(p *density.Part, o density.Part) {
	p.LogNorm = o.LogNorm
	copy(p.Diagonal, o.Diagonal)
	copy(p.Root, o.Root)
}

// partOf sets p to the part of component k, whose mean is centre + shift. It does not set the
// precision matrix of the Full form. work has room for M values.
func partOf(s *passes.Moments, p *density.Part, form Covariance, k int, shift []float64, regCovar float64, work []float64) error {
	n, dim := s.N[k], s.Dim
	second := s.Second[k*s.Stride() : (k+1)*s.Stride()]
	if form != Full {
		for i := range work {
			work[i] = second[i]/n - float64(shift[i]*shift[i]) + regCovar
		}
		if !setVariances(p, form, work) {
			return &SingularError{n, dim, regCovar}
		}
		return nil
	}
	for i := range dim {
		for j := i; j < dim; j++ {
			p.Root[i*dim+j] = second[i*dim+j]/n - float64(shift[i]*shift[j])
		}
		p.Root[i*dim+i] += regCovar
	}
	logDet, ok := invertRoot(p.Root, dim, work)
	if !ok {
		return &SingularError{n, dim, regCovar}
	}
	p.LogNorm = -0.5 * (logDet + float64(float64(dim)*ln2Pi))
	return nil
}

// A SingularError means that, within rounding, a component's rows do not span the space of the
// variables, so no normal distribution fits them.
type SingularError struct {
	Rows      float64
	Variables int
	RegCovar  float64 // added to the variances
}

func (e *SingularError) Error() string {
	return fmt.Sprintf("the covariance of %.3g rows in %d variables is singular at a regularisation of %g", e.Rows, e.Variables, e.RegCovar)
}

// setVariances sets p to the precisions for the given variances, which it may overwrite. ok is
// false if a variance is not above 0.
func setVariances(p *density.Part, form Covariance, variances []float64) (ok bool) {
	if form == Spherical {
		mean := passes.Sum(variances) / float64(len(variances))
		for i := range variances {
			variances[i] = mean
		}
	}
	p.LogNorm = 0
	for i, v := range variances {
		if !(v > 0) || math.IsInf(v, 1) || math.IsInf(1/v, 1) {
			return false
		}
		p.Diagonal[i] = 1 / v
		p.LogNorm -= float64(0.5 * (portable.Log(v) + ln2Pi))
	}
	return true
}
