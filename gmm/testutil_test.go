package gmm

import (
	"testing"

	"gonum.org/v1/gonum/mat"
)

func identityStart(weights []float64, means *mat.Dense) (*Mixture, error) {
	k, dim := means.Dims()
	precisions := make([]*mat.SymDense, k)
	for c := range precisions {
		precisions[c] = mat.NewSymDense(dim, nil)
		for i := range dim {
			precisions[c].SetSym(i, i, 1)
		}
	}
	return NewMixture(weights, means, precisions)
}

func meanLogLik(t testing.TB, m *Mixture, x *mat.Dense) float64 {
	t.Helper()
	v, err := m.MeanLogLik(Matrix(x))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// flat lists all parameters of a model.
func flat(m *Mixture) []float64 {
	out := append(m.Weights(), m.Means().RawMatrix().Data...)
	for k := range m.Components() {
		out = append(out, mat.DenseCopyOf(m.Precision(k)).RawMatrix().Data...)
	}
	return out
}
