package gmm

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/algorithm"
)

// A mixture is a model that scores rows by how surprising they are.
var _ interface {
	algorithm.Scorer
	algorithm.Completer
	algorithm.Explainer
	algorithm.Assigner
	algorithm.Dictionary
} = (*Mixture)(nil)

// ParseCovariance reads the name of a form.
func ParseCovariance(name string) (Covariance, error) {
	for _, form := range []Covariance{Full, Diag, Spherical} {
		if name == form.String() {
			return form, nil
		}
	}
	return 0, fmt.Errorf("want full, diag or spherical, got %q", name)
}

// Assign returns the most responsible component for each row.
func (m *Mixture) Assign(z *mat.Dense) []int {
	r := m.Responsibilities(z)
	n, _ := z.Dims()
	to := make([]int, n)
	for i := range to {
		to[i] = floats.MaxIdx(r.RawRowView(i))
	}
	return to
}

// Arrays returns means (K by M), precisions, weights (K) and, if known, component_rows (K).
// Precisions are K matrices of M by M, or K by M diagonal values if the matrices are diagonal.
func (m *Mixture) Arrays() []algorithm.Array { return m.ArraysNamed("") }

// ArraysNamed is Arrays with a prefix before each name.
func (m *Mixture) ArraysNamed(prefix string) []algorithm.Array {
	k, dim := m.Components(), m.Dim()
	shape := []int{k, dim}
	var precisions []float64
	if m.form == Full {
		shape = append(shape, dim)
	}
	for c, p := range m.parts {
		if m.form == Full {
			precisions = append(precisions, mat.DenseCopyOf(m.precisions[c]).RawMatrix().Data...)
		} else {
			precisions = append(precisions, p.Diagonal...)
		}
	}
	arrays := []algorithm.Array{
		{Name: prefix + "means", Shape: []int{k, dim}, Values: m.Means().RawMatrix().Data},
		{Name: prefix + "precisions", Shape: shape, Values: precisions},
		{Name: prefix + "weights", Shape: []int{k}, Values: m.Weights()},
	}
	if m.rows != nil {
		arrays = append(arrays, algorithm.Array{Name: prefix + componentRows, Shape: []int{k}, Values: m.ComponentRows()})
	}
	return arrays
}

// LoadMixture returns the mixture of dim variables whose arrays [Mixture.ArraysNamed] wrote.
func LoadMixture(a algorithm.Arrays, prefix string, form Covariance, dim int) (*Mixture, error) {
	m, err := loadMixture(a, prefix, form, dim)
	if err != nil || !a.Has(prefix+componentRows) {
		return m, err
	}
	rows, _, err := a.Values(prefix+componentRows, m.Components())
	if err != nil {
		return nil, err
	}
	for k, n := range rows {
		if !(n >= 0) || math.IsInf(n, 1) {
			return nil, fmt.Errorf("%s%s: component %d: want a finite value of at least 0, got %g", prefix, componentRows, k+1, n)
		}
	}
	return m.WithRows(rows), nil
}

func loadMixture(a algorithm.Arrays, prefix string, form Covariance, dim int) (*Mixture, error) {
	weights, _, err := a.Values(prefix+"weights", -1)
	if err != nil {
		return nil, err
	}
	k := len(weights)
	if k == 0 || dim < 1 {
		return nil, fmt.Errorf("%sweights: want at least 1 component and 1 variable, got %d and %d", prefix, k, dim)
	}
	values, _, err := a.Values(prefix+"means", k, dim)
	if err != nil {
		return nil, err
	}
	means := mat.NewDense(k, dim, values)
	if form != Full {
		diagonals, _, err := a.Values(prefix+"precisions", k, dim)
		if err != nil {
			return nil, err
		}
		m, err := NewDiagMixture(form, weights, means, mat.NewDense(k, dim, diagonals))
		return m, of(prefix, err)
	}
	if values, _, err = a.Values(prefix+"precisions", k, dim, dim); err != nil {
		return nil, err
	}
	parts := make([]*mat.SymDense, k)
	for c := range parts {
		if parts[c], err = symmetric(values[c*dim*dim:(c+1)*dim*dim], dim); err != nil {
			return nil, fmt.Errorf("%sprecisions: component %d: %w", prefix, c+1, err)
		}
	}
	m, err := NewMixture(weights, means, parts)
	return m, of(prefix, err)
}

// of adds the prefix of the arrays to an error about one of them.
func of(prefix string, err error) error {
	if err == nil || prefix == "" {
		return err
	}
	return fmt.Errorf("%s%w", prefix, err)
}

func symmetric(values []float64, dim int) (*mat.SymDense, error) {
	for i := range dim {
		if v := values[i*dim+i]; math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("want finite values, got %g", v)
		}
		for j := range i {
			if a, b := values[i*dim+j], values[j*dim+i]; a != b || math.IsInf(a, 0) {
				return nil, fmt.Errorf("want a symmetric matrix of finite values, got %g and %g", a, b)
			}
		}
	}
	return mat.NewSymDense(dim, values), nil
}
