package model

import (
	"fmt"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/npz"
	"gonum.org/v1/gonum/mat"
)

// ParseCovariance reads the form of covariance matrices; empty means full.
func ParseCovariance(name string) (gmm.Covariance, error) {
	for _, form := range []gmm.Covariance{gmm.Full, gmm.Diag, gmm.Spherical} {
		if name == form.String() || name == covariance(form) {
			return form, nil
		}
	}
	return 0, fmt.Errorf("want full, diag or spherical, got %q", name)
}

// covariance is how manifests name a form. Those of older files have none: full.
func covariance(form gmm.Covariance) string {
	if form == gmm.Full {
		return ""
	}
	return form.String()
}

// precisionsOf returns the precision matrices, K by M by M, or if they are diagonal
// what is on their diagonals, K by M.
func precisionsOf(m *gmm.Mixture) (values []float64, shape []int) {
	k, dim := m.Components(), m.Dim()
	shape = []int{k, dim}
	if m.Form() == gmm.Full {
		shape = append(shape, dim)
	}
	for c := range k {
		p := m.Precision(c)
		for i := range dim {
			if m.Form() != gmm.Full {
				values = append(values, p.At(i, i))
				continue
			}
			for j := range dim {
				values = append(values, p.At(i, j))
			}
		}
	}
	return values, shape
}

// putMixture writes the arrays of a mixture.
func putMixture(w *npz.Writer, prefix string, m *gmm.Mixture) error {
	k, dim := m.Components(), m.Dim()
	precisions, shape := precisionsOf(m)
	return putArrays(w, prefix, []namedArray{
		{"means", []int{k, dim}, m.Means().RawMatrix().Data},
		{"precisions", shape, precisions},
		{"weights", []int{k}, m.Weights()},
	})
}

// readMixture is the inverse of putMixture, of the form of the manifest.
func (m *Model) readMixture(a *npz.Archive, prefix string, dim int) (*gmm.Mixture, error) {
	all, err := npz.Get[float64](a, prefix+"weights")
	if err != nil {
		return nil, err
	}
	weights := all.Data
	k := len(weights)
	if k == 0 {
		return nil, fmt.Errorf("%sweights: want at least one component, got none", prefix)
	}
	values, err := array(a, prefix+"means", k, dim)
	if err != nil {
		return nil, err
	}
	means := mat.NewDense(k, dim, values)
	of, err := ParseCovariance(m.Manifest.Covariance)
	if err != nil {
		return nil, fmt.Errorf("%s: covariance: %w", manifest, err)
	}
	if of != gmm.Full {
		diagonals, err := array(a, prefix+"precisions", k, dim)
		if err != nil {
			return nil, err
		}
		return gmm.NewDiagMixture(of, weights, means, mat.NewDense(k, dim, diagonals))
	}
	values, err = array(a, prefix+"precisions", k, dim, dim)
	if err != nil {
		return nil, err
	}
	parts := make([]*mat.SymDense, k)
	for c := range parts {
		if parts[c], err = symmetric(values[c*dim*dim:(c+1)*dim*dim], dim); err != nil {
			return nil, fmt.Errorf("%sprecisions: component %d: %w", prefix, c+1, err)
		}
	}
	return gmm.NewMixture(weights, means, parts)
}

func symmetric(values []float64, dim int) (*mat.SymDense, error) {
	for i := range dim {
		for j := range i {
			if a, b := values[i*dim+j], values[j*dim+i]; a != b {
				return nil, fmt.Errorf("want a symmetric matrix, got %g and %g", a, b)
			}
		}
	}
	return mat.NewSymDense(dim, values), nil
}
