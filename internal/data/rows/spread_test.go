package rows

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// coarseRows has a column of one value, one with a rare second value, one on a grid that is coarse, one on a
// grid that is fine, one without a grid, and one of few rows that are present.
func coarseRows(n int) *mat.Dense {
	random := rand.New(rand.NewPCG(1, 2))
	x := mat.NewDense(n, 6, nil)
	for i := range n {
		v := random.NormFloat64()
		row := []float64{7, 21.61, math.Round(v), math.Round(100*v) / 100, v, math.NaN()}
		if i%40 == 3 {
			row[1] = 21.60
		}
		if i < 2 {
			row[5] = v
		}
		x.SetRow(i, row)
	}
	return x
}

func TestSteps(t *testing.T) {
	for _, n := range []int{200, 3 * sampled} {
		steps, err := Steps(InMemory(coarseRows(n)), 1)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.EqualFunc(steps, []float64{0, 0.01, 1, 0, 0, 0}, func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }) {
			t.Errorf("%d rows: steps %v", n, steps)
		}
	}
	// Three rows with three values are no grid.
	for _, x := range []*mat.Dense{mat.NewDense(3, 1, []float64{1, 2, 3}), mat.NewDense(1, 1, []float64{1}), mat.NewDense(2, 1, []float64{math.NaN(), math.NaN()})} {
		if steps, err := Steps(InMemory(x), 1); err != nil || steps[0] != 0 {
			t.Errorf("%v: steps %v, %v", mat.Formatted(x), steps, err)
		}
	}
}

func TestSpreadValuesRoundToThoseGiven(t *testing.T) {
	x := coarseRows(300)
	steps := []float64{0, 0.01, 1, 0, 0, 0}
	of := Spread(InMemory(x), steps, 5)
	got, err := Dense(of)
	if err != nil {
		t.Fatal(err)
	}
	squares := 0.0
	for i := range 300 {
		for j, step := range steps {
			off := got.At(i, j) - x.At(i, j)
			if step == 0 && off != 0 && !math.IsNaN(off) || !(math.Abs(off) <= step/2+1e-12) && !math.IsNaN(x.At(i, j)) {
				t.Fatalf("row %d, column %d: %g became %g", i, j, x.At(i, j), got.At(i, j))
			}
		}
		squares += math.Pow(got.At(i, 2)-x.At(i, 2), 2)
	}
	if variance := squares / 300; math.Abs(variance-1./12) > 0.02 {
		t.Errorf("variance within a step of 1: %g, want 1/12", variance)
	}
	// A row has the same values however it is read.
	row := make([]float64, 2*6)
	if err := of.ReadRows(row, 123); err != nil {
		t.Fatal(err)
	}
	for k, v := range row {
		if want := got.At(123+k/6, k%6); math.Float64bits(v) != math.Float64bits(want) {
			t.Errorf("value %d: %g, want %g", k, v, want)
		}
	}
	if x := InMemory(x); Spread(x, make([]float64, 6), 5) != x {
		t.Error("rows without steps are made anew")
	}
}
