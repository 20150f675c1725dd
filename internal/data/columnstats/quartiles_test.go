package columnstats_test

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/collabdict/collabdict/internal/data/columnstats"
	"github.com/collabdict/collabdict/internal/data/rows"
)

// Quartiles are exact for values of any size.
func TestOwnQuartiles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.OneOf(rapid.Float64Range(-1e60, 1e60), rapid.Float64Range(-2, 2), rapid.SampledFrom([]float64{0, 1, 1e-300, math.Copysign(0, -1)})), 1, 40).Draw(t, "values")
		first, second, third, err := columnstats.OwnQuartiles(rows.InMemory(mat.NewDense(len(values), 1, values)))
		if err != nil {
			t.Fatal(err)
		}
		gaps := slices.Concat([]float64{math.NaN()}, values, []float64{math.NaN(), -math.NaN()})
		one, two, three, err := columnstats.OwnQuartiles(rows.InMemory(mat.NewDense(len(gaps), 1, gaps)))
		if err != nil || one[0] != first[0] || two[0] != second[0] || three[0] != third[0] {
			t.Fatalf("with gaps: got %g, %g, %g, want %g, %g, %g; %v", one[0], two[0], three[0], first[0], second[0], third[0], err)
		}
		slices.Sort(values)
		at := func(q float64) float64 { return values[max(0, int(math.Ceil(q*float64(len(values))))-1)] }
		if first[0] != at(0.25) || second[0] != at(0.5) || third[0] != at(0.75) {
			t.Fatalf("got %g, %g, %g, want %g, %g, %g", first[0], second[0], third[0], at(0.25), at(0.5), at(0.75))
		}
	})
}
