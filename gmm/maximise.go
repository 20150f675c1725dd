package gmm

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/parallel"
)

// maximise is the M-step of plain EM from moments about the centres.
func (m *Mixture) maximise(s *moments, regCovar float64, centres *mat.Dense) (*Mixture, error) {
	total := floats.Sum(s.n)
	if !(total > 0) {
		return nil, fmt.Errorf("want sums over at least 1 row, got %g", total)
	}
	out := &Mixture{form: m.form, weights: make([]float64, s.k), means: mat.NewDense(s.k, s.dim, nil), parts: make([]part, s.k)}
	errs := make([]error, s.k)
	parallel.For(s.k, func(k int) {
		out.weights[k] = s.n[k] / total
		if s.n[k] < vanished {
			out.means.SetRow(k, centres.RawRowView(k))
			out.parts[k] = m.parts[k]
			return
		}
		shift := make([]float64, s.dim)
		floats.ScaleTo(shift, 1/s.n[k], s.first[k*s.dim:(k+1)*s.dim])
		floats.AddTo(out.means.RawRowView(k), centres.RawRowView(k), shift)
		out.parts[k], errs[k] = s.part(m.form, k, shift, regCovar)
	})
	for k, err := range errs {
		if err != nil {
			return nil, fmt.Errorf("component %d of %d: %w", k+1, s.k, err)
		}
	}
	return out, nil
}

// vanished is the N_k below which a component has no rows to estimate from.
const vanished = 1e-12

// part returns the precision of component k, whose mean is at centre + shift.
func (s *moments) part(form Covariance, k int, shift []float64, regCovar float64) (part, error) {
	n, dim := s.n[k], s.dim
	second := s.second[k*s.stride() : (k+1)*s.stride()]
	if form != Full {
		variances := make([]float64, dim)
		for i := range variances {
			variances[i] = second[i]/n - shift[i]*shift[i] + regCovar
		}
		return diagPart(form, variances)
	}
	cov := mat.NewSymDense(dim, nil)
	for i := range dim {
		for j := i; j < dim; j++ {
			cov.SetSym(i, j, second[i*dim+j]/n-shift[i]*shift[j])
		}
		cov.SetSym(i, i, cov.At(i, i)+regCovar)
	}
	var c mat.Cholesky
	var precision mat.SymDense
	if !c.Factorize(cov) || c.InverseTo(&precision) != nil {
		return part{}, fmt.Errorf("covariance of %.3g rows in %d variables is singular: raise the regularisation %g or take fewer components", n, dim, regCovar)
	}
	return fullPart(&precision)
}

func diagPart(form Covariance, variances []float64) (part, error) {
	if form == Spherical {
		mean := floats.Sum(variances) / float64(len(variances))
		for i := range variances {
			variances[i] = mean
		}
	}
	p := part{diagonal: make([]float64, len(variances))}
	for i, v := range variances {
		if !(v > 0) || math.IsInf(1/v, 1) {
			return part{}, fmt.Errorf("variance %d is %g, want more than 0: raise the regularisation", i+1, v)
		}
		p.diagonal[i] = 1 / v
		p.logNorm -= 0.5 * (math.Log(v) + math.Log(2*math.Pi))
	}
	return p, nil
}
