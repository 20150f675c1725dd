package rows

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/numeric/lanes"
)

// coarse is the least share of a column's variance that rounding to its step has to add.
const coarse = 0.01

// sampled is the largest number of rows from which steps are found.
const sampled = 1000

// Steps returns the step of each coarse column, and 0 for others. A column is coarse if its values
// recur and the variance step²/12 within a step is not small against its own. Its step is the least
// difference of two values. Steps are found from all rows, or from a draw by seed.
func Steps(x collabdict.Rows, seed uint64) ([]float64, error) {
	n, dim := x.Dims()
	if n > sampled {
		x = Subset(x, Drawn(n, sampled, seed))
	}
	sample, err := Dense(x)
	if err != nil {
		return nil, err
	}
	n, _ = sample.Dims()
	steps, column := make([]float64, dim), make([]float64, 0, n)
	for j := range steps {
		column = column[:0]
		for i := range n {
			if v := sample.At(i, j); !math.IsNaN(v) {
				column = append(column, v)
			}
		}
		steps[j] = step(column)
	}
	return steps, nil
}

// step returns the step of a coarse column, otherwise 0. It sorts the values.
func step(values []float64) float64 {
	slices.Sort(values)
	least, distinct, sum, squares := math.Inf(1), 1, 0.0, 0.0
	for i, v := range values {
		off := v - values[0]
		sum, squares = sum+off, squares+float64(off*off)
		if i > 0 && v > values[i-1] {
			distinct++
			least = min(least, v-values[i-1])
		}
	}
	n := float64(len(values))
	variance := squares/n - float64(sum/n*(sum/n))
	if 2*distinct > len(values) || !(least*least/12 >= coarse*variance) || math.IsInf(least, 1) {
		return 0
	}
	return least
}

// spread is rows whose values are spread over their steps.
type spread struct {
	source collabdict.Rows
	steps  []float64
	seed   uint64
}

// Spread returns rows in which each value of a column with a step is drawn from those that are rounded
// to it, by the seed and the number of its row. A normal distribution of a column with few values is
// then no narrower than their steps, so a rare one of them is not taken for an impossible one.
func Spread(x collabdict.Rows, steps []float64, seed uint64) collabdict.Rows {
	if !slices.ContainsFunc(steps, func(s float64) bool { return s > 0 }) {
		return x
	}
	return &spread{x, steps, seed}
}

// spreadRows are the arguments of Spread.
type spreadRows struct {
	Steps []float64
	Seed  uint64
}

var spreading = lanes.NewMaker("spread", func(x lanes.Rows, of spreadRows) lanes.Rows { return Spread(x, of.Steps, of.Seed) })

// Dims returns the number of rows and of columns.
func (s *spread) Dims() (n, m int) { return s.source.Dims() }

// Origin implements [lanes.Elsewhere].
func (s *spread) Origin() *lanes.Origin {
	return spreading.Of(lanes.OriginOf(s.source), spreadRows{s.steps, s.seed})
}

// ReadRows fills x with the rows that start at row from.
func (s *spread) ReadRows(x []float64, from int) error {
	if origin := s.Origin(); origin != nil {
		n, dim := s.Dims()
		return origin.Read(x, from, n, dim)
	}
	if err := s.source.ReadRows(x, from); err != nil {
		return err
	}
	for i := range len(x) / len(s.steps) {
		random := rand.NewPCG(s.seed, uint64(from+i))
		for j, step := range s.steps {
			if step > 0 {
				share := float64(random.Uint64()>>11) / (1 << 53) // as rand.Float64 does
				x[i*len(s.steps)+j] += float64(step * (share - 0.5))
			}
		}
	}
	return nil
}
