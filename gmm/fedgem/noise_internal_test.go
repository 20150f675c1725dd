package fedgem

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// One row more, wherever it is, changes the counts and the sums of a step by a vector of
// length 1 each, in units of the radius, and no sum of another row.
func TestARowChangesSumsByItsSensitivity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const rows = 30
		dim, k := rapid.IntRange(1, 4).Draw(t, "columns"), rapid.IntRange(1, 4).Draw(t, "components")
		values := rapid.SliceOfN(rapid.Float64Range(-9, 9), (rows+1)*dim, (rows+1)*dim).Draw(t, "values")
		x := mat.NewDense(rows+1, dim, values)
		without := takeSums(t, mat.DenseCopyOf(x.Slice(0, rows, 0, dim)), k)
		with := takeSums(t, x, k)
		count, first := 0.0, 0.0
		for i, v := range with.counts {
			d := v - without.counts[i]
			count += d * d
			for j, v := range with.first.RawRowView(i) {
				d := (v - without.first.At(i, j)) / radius
				first += d * d
			}
		}
		if most := 1 + 1e-6; math.Sqrt(count) > most || math.Sqrt(first) > most {
			t.Fatalf("a row changes counts by %g and sums by %g", math.Sqrt(count), math.Sqrt(first))
		}
	})
}

const radius = 5.0

type sums struct {
	counts []float64
	first  *mat.Dense
}

// takeSums makes one step with next to no noise, and takes the sums back out of it.
func takeSums(t *rapid.T, x *mat.Dense, k int) sums {
	c := Config{Components: k, BurnIn: 1, Noise: &Noise{Multiplier: 1e-12, Radius: radius, Source: rand.NewPCG(1, 1)}}
	l := &local{config: c, x: x}
	if err := l.noisyStart(); err != nil {
		t.Fatal(err)
	}
	s := sums{l.mix.Weights(), l.mix.Means()}
	for i := range s.counts {
		s.counts[i] *= l.rows
		for j := range x.RawRowView(0) {
			s.first.Set(i, j, s.first.At(i, j)*s.counts[i])
		}
	}
	return s
}
