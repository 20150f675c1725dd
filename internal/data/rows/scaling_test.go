package rows_test

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"

	"github.com/collabdict/collabdict/internal/data/rows"
	_ "github.com/collabdict/collabdict/internal/testkit" // fixed draws
)

// TestOwnStandardises compares the scaling with an independent mean and variance, and checks that
// standardised columns have mean 0 and variance 1.
func TestOwnStandardises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, m := rapid.IntRange(1, 20).Draw(t, "rows"), rapid.IntRange(1, 5).Draw(t, "columns")
		// Whole numbers: a column is constant or varies visibly, never by rounding alone.
		whole := rapid.SliceOfN(rapid.IntRange(-1e6, 1e6), n*m, n*m).Draw(t, "values")
		x := mat.NewDense(n, m, nil)
		for at, v := range whole {
			x.Set(at/m, at%m, float64(v))
		}
		s, constant, err := rows.Own(rows.InMemory(x))
		if err != nil {
			t.Fatal(err)
		}
		z := s.Apply(x)
		for j := range m {
			col := mat.Col(nil, j, x)
			mean, variance := stat.PopMeanVariance(col, nil)
			if slices.Contains(constant, j) {
				if s.Scale[j] != 1 || math.Sqrt(variance) > 1e-9*math.Abs(mean) {
					t.Fatalf("column %v was taken as constant, with scale %v", col, s.Scale[j])
				}
				continue
			}
			if math.Abs(s.Shift[j]-mean) > 1e-9*math.Max(1, math.Abs(mean)) || math.Abs(s.Scale[j]/math.Sqrt(variance)-1) > 1e-6 {
				t.Fatalf("column %v: got %v and %v, want %v and %v", col, s.Shift[j], s.Scale[j], mean, math.Sqrt(variance))
			}
			if zm, zv := stat.PopMeanVariance(mat.Col(nil, j, z), nil); s.Scale[j] > 1e-6 && (math.Abs(zm) > 1e-3 || math.Abs(zv-1) > 1e-3) {
				t.Fatalf("standardised column %v has mean %v and variance %v", col, zm, zv)
			}
		}
		s.ApplyTo(x, x)
		if !mat.Equal(x, z) {
			t.Fatal("in place and copied differ")
		}
	})
}

func TestConstantColumns(t *testing.T) {
	x := mat.NewDense(3, 4, []float64{
		518.67, 0, 1, 0.1,
		518.67, 0, 2, 0.1,
		518.67, 0, 3, 0.1 + 1e-16,
	})
	s, constant, err := rows.Own(rows.InMemory(x))
	if err != nil || !slices.Equal(constant, []int{0, 1, 3}) || s.Scale[0] != 1 || s.Scale[2] != math.Sqrt(2./3) {
		t.Errorf("got constant %v and scales %v", constant, s.Scale)
	}
	// A column of one value becomes exactly 0, whatever the rounding of its mean.
	if z := s.Apply(x); z.At(0, 0) != 0 || z.At(2, 0) != 0 {
		t.Errorf("a constant column is scaled to %g and %g", z.At(0, 0), z.At(2, 0))
	}
}

// Then scales by one scaling after the other.
func TestThen(t *testing.T) {
	x := mat.NewDense(2, 2, []float64{1, 2, -3, 40})
	first, next := rows.Scaling{Shift: []float64{1, 5}, Scale: []float64{2, 0.5}}, rows.Scaling{Shift: []float64{-4, 0.25}, Scale: []float64{8, 3}}
	if got, want := first.Then(next).Apply(x), next.Apply(first.Apply(x)); !mat.EqualApprox(got, want, 1e-12) {
		t.Errorf("got %v, want %v", mat.Formatted(got), mat.Formatted(want))
	}
}

// TestLargestNumbers checks that the largest numbers that files may have can be scaled.
func TestLargestNumbers(t *testing.T) {
	x := mat.NewDense(2, 1, []float64{1e60, -1e60})
	s, constant, err := rows.Own(rows.InMemory(x))
	if z := s.Apply(x); err != nil || constant != nil || math.Abs(z.At(0, 0)-1) > 1e-12 || math.Abs(z.At(1, 0)+1) > 1e-12 {
		t.Errorf("got scale %v, constant %v, rows %v", s.Scale, constant, mat.Formatted(z))
	}
}

func TestUnscaled(t *testing.T) {
	x := mat.NewDense(1, 2, []float64{3, 4})
	if !mat.Equal(rows.Unscaled(2).Apply(x), x) {
		t.Error("unscaled rows changed")
	}
}

func TestFromRanges(t *testing.T) {
	s, err := rows.FromRanges([]float64{-1, 10}, []float64{3, 20})
	if err != nil || !reflect.DeepEqual(s, rows.Scaling{Shift: []float64{-1, 10}, Scale: []float64{4, 10}}) {
		t.Errorf("got %+v, %v", s, err)
	}
	for _, high := range []float64{1, 0, math.NaN(), math.Inf(1)} {
		if _, err := rows.FromRanges([]float64{0, 1}, []float64{1, high}); err == nil || !strings.Contains(err.Error(), "column 2: want a finite range") {
			t.Errorf("up to %g: got %v", high, err)
		}
	}
}

// Missing cells do not count: each column is standardised by those that are there.
func TestOwnOfMissingCells(t *testing.T) {
	none := math.NaN()
	x := mat.NewDense(4, 3, []float64{1, none, 7, 3, 2, none, none, 4, 7, 5, 6, 7})
	s, constant, err := rows.Own(rows.InMemory(x))
	if err != nil || len(constant) != 1 || constant[0] != 2 {
		t.Fatalf("constant %v, %v", constant, err)
	}
	for j, want := range [][2]float64{{3, math.Sqrt(8. / 3)}, {4, math.Sqrt(8. / 3)}, {7, 1}} {
		if math.Abs(s.Shift[j]-want[0]) > 1e-12 || math.Abs(s.Scale[j]-want[1]) > 1e-12 {
			t.Errorf("column %d: shift %g, scale %g, want %g, %g", j, s.Shift[j], s.Scale[j], want[0], want[1])
		}
	}
}
