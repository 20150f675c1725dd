package glasso

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// banded returns the scatter matrix of n rows in m dimensions whose precision has two diagonals
// on either side of the main one: an autoregression of order 2.
func banded(m, n int, rng *rand.Rand) *mat.SymDense {
	x := mat.NewDense(n, m, nil)
	for i := range n {
		row := x.RawRowView(i)
		for j := range row {
			row[j] = rng.NormFloat64()
			if j > 0 {
				row[j] += 0.4 * row[j-1]
			}
			if j > 1 {
				row[j] += 0.3 * row[j-2]
			}
		}
	}
	s := mat.NewSymDense(m, nil)
	s.SymOuterK(1/float64(n), x.T())
	return s
}

func BenchmarkBanded(b *testing.B) {
	s := banded(1000, 3000, rand.New(rand.NewPCG(1, 1)))
	for _, rho := range []string{"0.05", "0.1", "0.2"} {
		b.Run("rho"+rho, func(b *testing.B) {
			b.ReportAllocs()
			var r *Result
			for b.Loop() {
				var err error
				if r, err = (Problem{S: s, Penalty: map[string]float64{"0.05": 0.05, "0.1": 0.1, "0.2": 0.2}[rho]}).Solve(nil); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(r.Steps), "steps")
			edges := 0
			for i := range 1000 {
				for j := range i {
					if r.Precision.At(i, j) != 0 {
						edges++
					}
				}
			}
			b.ReportMetric(float64(edges), "edges")
		})
	}
}
