package em

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
)

// Densities of another view are in the units of the first, but for missing cells. The preference for
// the first view does not grow with a member's rows, so that a member of many rows does not decide for all.
func TestViewsAreComparedInOneUnit(t *testing.T) {
	m, err := gmm.NewMixture([]float64{1}, mat.NewDense(1, 2, nil), []*mat.SymDense{mat.NewSymDense(2, []float64{1, 0, 0, 1})})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ rows, preferred int }{{10, 10}, {40, 40}, {1000, 40}} {
		held := mat.NewDense(c.rows, 2, nil)
		held.Set(0, 1, math.NaN())
		first, other := &view{held: held}, &view{held: held, stretch: []float64{math.Log(2), math.Log(3)}}
		sum := 0.0
		for i, v := range first.logDensities(m) {
			sum += v - other.logDensities(m)[i]
		}
		units := float64(c.rows)*math.Log(6) - math.Log(3)
		preferred := preference * (2*float64(c.rows) - 1) * float64(c.preferred) / float64(c.rows)
		if math.Abs(sum-units-preferred) > 1e-9 {
			t.Errorf("%d rows: densities differ by %g, want %g", c.rows, sum, units+preferred)
		}
	}
}
