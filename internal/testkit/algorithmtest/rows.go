package algorithmtest

import (
	"fmt"
	"math/rand/v2"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"gonum.org/v1/gonum/mat"
)

// Data returns the data of participants with these rows, named a, b and so on.
func Data(seed uint64, rows ...*mat.Dense) (data []algorithm.Data) {
	for s, x := range rows {
		data = append(data, algorithm.Data{Name: string(rune('a' + s)), Rows: matrix{x}, Seed: seed})
	}
	return data
}

// matrix is rows in memory.
type matrix struct{ *mat.Dense }

// Matrix returns the rows of x.
func Matrix(x *mat.Dense) collabdict.Rows { return matrix{x} }

func (m matrix) ReadRows(x []float64, from int) error {
	_, dim := m.Dims()
	for i := 0; i < len(x); i += dim {
		copy(x[i:i+dim], m.RawRowView(from))
		from++
	}
	return nil
}

// Draw returns n rows whose columns have these means and deviations.
func Draw(seed uint64, n int, mean, deviation []float64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 1))
	x := mat.NewDense(n, len(mean), nil)
	for i := range n {
		for j, m := range mean {
			x.Set(i, j, m+deviation[j]*rng.NormFloat64())
		}
	}
	return x
}

// Clusters returns the rows of the given number of participants, 60 each, in two clusters. Each
// participant has other shares of the clusters.
func Clusters(participants int) (all []algorithm.Data) {
	for s := range participants {
		x := Draw(uint64(s), 60, []float64{-3, 1}, []float64{1, 0.5})
		for i := range 60 * (s + 1) / (participants + 1) {
			x.Set(i, 0, x.At(i, 0)+7)
		}
		all = append(all, Of(s, x))
	}
	return all
}

// Of returns the data of a participant with these rows.
func Of(rank int, x *mat.Dense) algorithm.Data {
	return algorithm.Data{Name: fmt.Sprint("p", rank), Rows: Matrix(x), Seed: 3}
}
