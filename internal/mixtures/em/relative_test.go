package ggm

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Columns whose squares almost underflow have a start, and scales that can be inverted.
func TestTinyValues(t *testing.T) {
	for _, tiny := range []float64{1e-60, 1e-75, 1e-100, 1e-155, 1e-162, 5e-324} {
		x := mat.NewDense(8, 2, nil)
		for i := range 8 {
			x.SetRow(i, []float64{float64(i % 3), float64(i%5) * tiny})
		}
		learners, _ := train(t, Config{Components: 2}, 3, x)
		for k := range 2 {
			for _, v := range mat.DenseCopyOf(learners[0].Model().Precision(k)).RawMatrix().Data {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					t.Errorf("values of %g: precision %g", tiny, v)
				}
			}
		}
	}
}
