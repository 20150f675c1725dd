package fedgem_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/mixtures/fedgem"
)

// The clusters as a mixture have the mean of all members' rows and their covariance; for
// spherical clusters its trace.
func TestMixtureHasTheMomentsOfAllRows(t *testing.T) {
	clients := blobs(rand.New(rand.NewPCG(8, 1)), 4, 3, 5, 200, 2, 3, 6)
	all := pooled(clients)
	mean, second := make([]float64, 3), mat.NewSymDense(3, nil)
	for i := range all.truth {
		floats.AddScaled(mean, 1/float64(len(all.truth)), all.x.RawRowView(i))
		second.SymRankOne(second, 1/float64(len(all.truth)), all.x.RowView(i))
	}
	for _, full := range []bool{false, true} {
		r := run(t, clients, known(clients, fedgem.Config{Full: full}))
		m, err := r[0].Mixture()
		if err != nil {
			t.Fatal(err)
		}
		if sum := floats.Sum(m.Weights()); math.Abs(sum-1) > 1e-12 || m.Components() != 4 {
			t.Errorf("full %t: %d components with weights that sum to %g", full, m.Components(), sum)
		}
		gotMean, got := make([]float64, 3), mat.NewSymDense(3, nil)
		for k, w := range m.Weights() {
			centre := m.Means().RowView(k)
			floats.AddScaled(gotMean, w, m.Means().RawRowView(k))
			got.SymRankOne(got, w, centre)
			cov := m.Covariance(k)
			cov.ScaleSym(w, cov)
			got.AddSym(got, cov)
		}
		if !floats.EqualApprox(gotMean, mean, 1e-6) {
			t.Errorf("full %t: mean %v, want %v", full, gotMean, mean)
		}
		if math.Abs(mat.Trace(got)/mat.Trace(second)-1) > 1e-4 || full && !mat.EqualApprox(got, second, 1e-3) {
			t.Errorf("full %t: second moments\n%v, want\n%v", full, mat.Formatted(got), mat.Formatted(second))
		}
	}
}
