package gmm_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
)

func TestDependencies(t *testing.T) {
	got := gmm.Dependencies(mat.NewSymDense(3, []float64{4, 1, 0, 1, 1, -0.9, 0, -0.9, 1}))
	if len(got) != 2 || got[0] != (gmm.Dependency{A: 1, B: 2, PartialCorrelation: 0.9}) || got[1].A != 0 || got[1].B != 1 || math.Abs(got[1].PartialCorrelation+0.5) > 1e-15 {
		t.Errorf("got %+v, want 0.9 between 1 and 2, and then -0.5 between 0 and 1", got)
	}
}
