package fedgen

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
)

// AverageLogDensities returns the log density of each row of x in nats, averaged over several
// mixtures. It is the paper's baseline of local models with averaged scores. For the other
// baseline, all rows in one place, use [Select].
func AverageLogDensities(mixtures []*gmm.Mixture, x *mat.Dense) []float64 {
	rows, _ := x.Dims()
	sum := make([]float64, rows)
	for _, m := range mixtures {
		floats.Add(sum, m.LogDensities(nil, x))
	}
	floats.Scale(1/float64(len(mixtures)), sum)
	return sum
}
