package fedgen

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
)

// AverageLogDensities returns the mean over several mixtures of the log-density of
// each row of x, in nats: the paper's baseline of local models, whose scores are
// averaged. The other one, all rows in one place, is [Select] on them.
func AverageLogDensities(mixtures []*gmm.Mixture, x *mat.Dense) []float64 {
	rows, _ := x.Dims()
	sum := make([]float64, rows)
	for _, m := range mixtures {
		floats.Add(sum, m.LogDensities(nil, x))
	}
	floats.Scale(1/float64(len(mixtures)), sum)
	return sum
}
