package fedgem

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/kernels/lapack"
)

// Mixture returns the clusters as a mixture, weighted by their rows at all members. It is the
// same at every member.
func (r *Result) Mixture() (*gmm.Mixture, error) {
	dim := len(r.Clusters[0].Centre)
	total := 0.0
	for _, c := range r.Clusters {
		total += c.Rows
	}
	k := len(r.Clusters)
	weights, means, diagonals := make([]float64, k), mat.NewDense(k, dim, nil), mat.NewDense(k, dim, nil)
	var precisions []*mat.SymDense
	for i, c := range r.Clusters {
		weights[i] = c.Rows / total
		means.SetRow(i, c.Centre)
		for j := range dim {
			diagonals.Set(i, j, 1/c.Spread)
		}
		if c.Shape == nil {
			continue
		}
		root, ok := lapack.FactoriseRows(c.Shape, dim)
		if !ok {
			return nil, fmt.Errorf("cluster %d: its covariance is not positive definite", i+1)
		}
		precisions = append(precisions, root.Inverse())
	}
	var m *gmm.Mixture
	var err error
	if precisions != nil {
		m, err = gmm.NewMixture(weights, means, precisions)
	} else {
		m, err = gmm.NewDiagMixture(gmm.Spherical, weights, means, diagonals)
	}
	if err != nil {
		return nil, err
	}
	return m.WithTotal(total), nil
}
