package gmm

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/kernels/lapack"
	"github.com/collabdict/collabdict/internal/mixtures/density"
	"github.com/collabdict/collabdict/internal/numeric/portable"
)

// Covariance is the form of a mixture's covariance matrices.
type Covariance int

const (
	Full      Covariance = iota // any positive definite matrix
	Diag                        // diagonal matrices
	Spherical                   // multiples of the identity
)

// String returns the form's name in lower case.
func (c Covariance) String() string { return [...]string{"full", "diag", "spherical"}[c] }

// Mixture is the density Σ_k π_k N(x|μ_k, Λ_k⁻¹) over M variables with K
// components, held in precision form. It never changes.
type Mixture struct {
	form    Covariance
	weights []float64
	means   *mat.Dense // K by M
	parts   []density.Part
	// precisions are Λ_k, only of the Full form; a Stepper leaves them out.
	precisions []*mat.SymDense
	rows       []float64 // see ComponentRows
}

const ln2Pi = 1.8378770664093453

const errShape = "gmm: shapes differ"

// NewMixture returns the mixture of K weights, K by M means and K precision matrices, which it
// copies. It returns an error unless the weights are at least 0 with a sum of 1 and the
// precisions are positive definite.
func NewMixture(weights []float64, means *mat.Dense, precisions []*mat.SymDense) (*Mixture, error) {
	m, err := newMixture(Full, weights, means)
	if err != nil {
		return nil, err
	}
	if len(precisions) != len(weights) {
		return nil, fmt.Errorf("precisions: want %d matrices, one per weight, got %d", len(weights), len(precisions))
	}
	for k, p := range precisions {
		if p.SymmetricDim() != m.Dim() {
			return nil, fmt.Errorf("precisions: component %d: want %d by %d values, got %d by %[4]d", k+1, m.Dim(), m.Dim(), p.SymmetricDim())
		}
		if m.parts[k], err = fullPart(p); err != nil {
			return nil, fmt.Errorf("precisions: component %d: %w", k+1, err)
		}
		m.precisions = append(m.precisions, mat.NewSymDense(m.Dim(), nil))
		m.precisions[k].CopySym(p)
	}
	return m, nil
}

// NewDiagMixture is like [NewMixture] for diagonal precision matrices, given as K by M diagonal
// values. If form is Spherical, the values of a row must all be the same.
func NewDiagMixture(form Covariance, weights []float64, means, precisions *mat.Dense) (*Mixture, error) {
	m, err := newMixture(form, weights, means)
	if err != nil {
		return nil, err
	}
	if r, c := precisions.Dims(); r != m.Components() || c != m.Dim() {
		return nil, fmt.Errorf("precisions: want %d by %d values, got %d by %d", m.Components(), m.Dim(), r, c)
	}
	for k := range weights {
		p := density.Part{Diagonal: append([]float64(nil), precisions.RawRowView(k)...)}
		for _, v := range p.Diagonal {
			if !(v > 0) || math.IsInf(v, 1) || form == Spherical && v != p.Diagonal[0] {
				return nil, fmt.Errorf("precisions: component %d: want finite values above 0, all equal if spherical, got %g", k+1, v)
			}
			p.LogNorm += float64(0.5 * (portable.Log(v) - ln2Pi))
		}
		m.parts[k] = p
	}
	return m, nil
}

func newMixture(form Covariance, weights []float64, means *mat.Dense) (*Mixture, error) {
	k, dim := means.Dims()
	if len(weights) != k || k == 0 {
		return nil, fmt.Errorf("weights: want %d values, one per mean, got %d", k, len(weights))
	}
	if err := checkWeights(weights); err != nil {
		return nil, err
	}
	for i := range k {
		for j, v := range means.RawRowView(i) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("means: component %d: want finite values, got %g in column %d of %d", i+1, v, j+1, dim)
			}
		}
	}
	return &Mixture{
		form:    form,
		weights: append([]float64(nil), weights...),
		means:   mat.DenseCopyOf(means),
		parts:   make([]density.Part, k),
	}, nil
}

func checkWeights(weights []float64) error {
	sum := 0.0
	for k, w := range weights {
		if !(w >= 0) || w > 1+1e-6 {
			return fmt.Errorf("weights: component %d: want a value from 0 to 1, got %g", k+1, w)
		}
		sum += w
	}
	if math.Abs(sum-1) > 1e-6 {
		return fmt.Errorf("weights: want a sum of 1, got %g", sum)
	}
	return nil
}

func fullPart(p *mat.SymDense) (density.Part, error) {
	m := p.SymmetricDim()
	c, ok := lapack.Factorise(p)
	if !ok {
		return density.Part{}, fmt.Errorf("want a positive definite matrix")
	}
	logDet := c.LogDet()
	if math.IsNaN(logDet) || math.IsInf(logDet, 0) {
		return density.Part{}, fmt.Errorf("want a positive definite matrix of finite values, got ln|Λ| = %g", logDet)
	}
	out := density.Part{Root: c.U(), Diagonal: make([]float64, m)}
	for i := range m {
		out.Diagonal[i] = p.At(i, i)
	}
	out.LogNorm = 0.5 * (logDet - float64(float64(m)*ln2Pi))
	return out, nil
}

// WithWeights returns the mixture with a copy of other weights, and the same memory for the rest. It
// returns an error unless the weights are at least 0 with a sum of 1.
func (m *Mixture) WithWeights(weights []float64) (*Mixture, error) {
	if len(weights) != m.Components() {
		return nil, fmt.Errorf("weights: want %d values, one per component, got %d", m.Components(), len(weights))
	}
	if err := checkWeights(weights); err != nil {
		return nil, err
	}
	out := *m
	out.weights = append([]float64(nil), weights...)
	return &out, nil
}

// Without returns the mixture with weight 0 for the marked components and the other weights in
// proportion. It panics if no weight is left.
func (m *Mixture) Without(components []bool) *Mixture {
	out := *m
	out.weights = append([]float64(nil), m.weights...)
	sum := 0.0
	for k, left := range components {
		if left {
			out.weights[k] = 0
		}
		sum += out.weights[k]
	}
	if !(sum > 0) {
		panic("gmm: no component is left")
	}
	for k := range out.weights {
		out.weights[k] /= sum
	}
	return &out
}

// Form returns the form of the covariance matrices.
func (m *Mixture) Form() Covariance { return m.form }

// Components returns K.
func (m *Mixture) Components() int { return len(m.weights) }

// Dim returns M.
func (m *Mixture) Dim() int { _, dim := m.means.Dims(); return dim }

// Weights returns a copy of the K weights π.
func (m *Mixture) Weights() []float64 { return append([]float64(nil), m.weights...) }

// Means returns a copy of the K by M means.
func (m *Mixture) Means() *mat.Dense { return mat.DenseCopyOf(m.means) }

// Precision returns Λ_k, M by M, which the caller must not change.
func (m *Mixture) Precision(k int) *mat.SymDense {
	if m.form == Full {
		return m.precisions[k]
	}
	out := mat.NewSymDense(m.Dim(), nil)
	for i, v := range m.parts[k].Diagonal {
		out.SetSym(i, i, v)
	}
	return out
}

// Root returns the upper triangular U with Λ_k = UᵀU, M by M, which the caller must not change. It
// is nil unless the form is Full.
func (m *Mixture) Root(k int) *mat.TriDense {
	if m.form != Full {
		return nil
	}
	return mat.NewTriDense(m.Dim(), mat.Upper, m.parts[k].Root)
}

// Diagonal returns a copy of the diagonal of Λ_k, M values.
func (m *Mixture) Diagonal(k int) []float64 { return slices.Clone(m.parts[k].Diagonal) }

// LogDet returns ln|Λ_k|.
func (m *Mixture) LogDet(k int) float64 {
	return 2*m.parts[k].LogNorm + float64(float64(m.Dim())*ln2Pi)
}

// LogNorm returns ½ ln|Λ_k| − M/2 ln 2π, the log density of component k at its mean.
func (m *Mixture) LogNorm(k int) float64 { return m.parts[k].LogNorm }

// Covariance returns Λ_k⁻¹, M by M.
func (m *Mixture) Covariance(k int) *mat.SymDense {
	if m.form != Full {
		out := mat.NewSymDense(m.Dim(), nil)
		for i, v := range m.parts[k].Diagonal {
			out.SetSym(i, i, 1/v)
		}
		return out
	}
	c, ok := lapack.Factorise(m.precisions[k])
	if !ok {
		panic("gmm: a precision matrix is no longer positive definite")
	}
	return c.Inverse()
}
