package em

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
)

// Rounding residues of a component without rows, and of a column that is constant in a
// component, do not end the training.
func TestRoundingLeavesAMixture(t *testing.T) {
	means := mat.NewDense(2, 2, []float64{0, 0, 9, 9})
	m, err := gmm.NewDiagMixture(gmm.Diag, []float64{0.5, 0.5}, means, mat.NewDense(2, 2, []float64{1, 1, 4, 4}))
	if err != nil {
		t.Fatal(err)
	}
	// counts, first and second moments, the log-likelihood
	sums := []float64{10, 1e-5, 5, 1e-6, 0, -2e-6, 20, -3e-5, -1e-7, -1e-4, -7}
	origin := []float64{0, 0}
	if _, err := m.StepAbout(origin, sums, 1e-6); err == nil {
		t.Fatal("these sums do not need it")
	}
	repair(sums, m, origin)
	next, err := m.StepAbout(origin, sums, 1e-6)
	if err != nil {
		t.Fatal(err)
	}
	if got := next.Means().RawRowView(1); got[0] != 9 || got[1] != 9 || math.Abs(next.Covariance(1).At(0, 0)-0.25) > 1e-5 {
		t.Errorf("the component without rows: mean %v, covariance %v", got, mat.Formatted(next.Covariance(1)))
	}
	if got := next.Covariance(0); math.Abs(got.At(0, 0)-1.75) > 1e-5 || math.Abs(got.At(1, 1)-1e-6) > 1e-12 {
		t.Errorf("the other: covariance %v", mat.Formatted(got))
	}
}
