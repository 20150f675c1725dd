package logistic_test

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// rowsOf makes the rows of one hospital: a constant, age and dose, and whether the patient
// recovered. The chances are the same at all hospitals, the patients are not.
func rowsOf(hospital int) (x *mat.Dense, y []float64) {
	const n = 80
	rng := rand.New(rand.NewPCG(uint64(hospital), 1))
	x, y = mat.NewDense(n, 3, nil), make([]float64, n)
	for i := range n {
		age, dose := rng.NormFloat64()/3+0.1*float64(hospital), rng.NormFloat64()/3
		x.SetRow(i, []float64{1, age, dose})
		if rng.Float64() < 1/(1+math.Exp(-0.5+2*age-3*dose)) {
			y[i] = 1
		}
	}
	return x, y
}
