package columnstats_test

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/data/columnstats"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/netsim"
)

// scaling returns the scaling of columns from their extremes to [0, 1].
func scaling(low, size []float64, constant []int, err error) (rows.Scaling, []int, error) {
	return rows.Scaling{Shift: low, Scale: size}, constant, err
}

// Extremes maps all values into [0, 1], and the smallest and the largest close to its ends.
func TestExtremesAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, dim := rapid.IntRange(2, 40).Draw(t, "rows"), rapid.IntRange(1, 4).Draw(t, "columns")
		x := mat.NewDense(n, dim, nil)
		for j := range dim {
			shift, scale := rapid.Float64Range(-100, 100).Draw(t, "shift"), math.Pow(10, rapid.Float64Range(0, 6).Draw(t, "scale"))
			for i := range n {
				x.Set(i, j, shift+scale*rapid.Float64Range(-1, 1).Draw(t, "value"))
			}
		}
		s, constant, err := scaling(columnstats.Extremes(context.Background(), collabdict.Solo{}, rows.InMemory(x)))
		if err != nil {
			t.Fatal(err)
		}
		z := s.Apply(x)
		for j := range dim {
			if slices.Contains(constant, j) {
				continue
			}
			low, high := mat.Min(z.ColView(j)), mat.Max(z.ColView(j))
			size := mat.Max(x.ColView(j)) - mat.Min(x.ColView(j))
			// No bound of a column is below 2^−MaxExp, however small its values are.
			largest := max(mat.Max(x.ColView(j)), -mat.Min(x.ColView(j)), math.Ldexp(1, -columnstats.MaxExp))
			off := 1e-7 * largest / size
			if low < 0 || high > 1 || low > off || high < 1-off {
				t.Fatalf("column %d is from %g to %g, off by more than %g", j, low, high, off)
			}
		}
	})
}

// Over the protocol, members agree on the extremes of all rows.
func TestExtremesTogether(t *testing.T) {
	const size = 5
	own := func(rank int) *mat.Dense {
		rng := rand.New(rand.NewPCG(uint64(rank), 1))
		x := mat.NewDense(30, 3, nil)
		x.Apply(func(_, j int, _ float64) float64 { return rng.Float64()*float64(1+rank) + 3*float64(j) }, x)
		for i := range 30 {
			x.Set(i, 2, 4)
		}
		return x
	}
	net, err := netsim.New(netsim.Config{Names: netsim.Names(size), Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	got := make([]rows.Scaling, size)
	_, err = net.Run(t.Context(), func(ctx context.Context, rank int, g collabdict.Group) (err error) {
		var constant []int
		got[rank], constant, err = scaling(columnstats.Extremes(ctx, g, rows.InMemory(own(rank))))
		if err == nil && !slices.Equal(constant, []int{2}) {
			t.Errorf("member %d: constant columns %v", rank, constant)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	low, high := math.Inf(1), math.Inf(-1)
	for rank, s := range got {
		if !reflect.DeepEqual(s, got[0]) {
			t.Errorf("member %d has another scaling", rank)
		}
		z := s.Apply(own(rank)).Slice(0, 30, 0, 2)
		low, high = math.Min(low, mat.Min(z)), math.Max(high, mat.Max(z))
	}
	if low < 0 || low > 1e-6 || high > 1 || high < 1-1e-6 {
		t.Errorf("all rows are from %g to %g", low, high)
	}
}

// The extremes of a member's own rows are exact.
func TestOwnExtremes(t *testing.T) {
	x := mat.NewDense(3, 3, []float64{1, -4, 7, 3, -2, 7, 2, 0, 7})
	s, constant, err := scaling(columnstats.OwnExtremes(rows.InMemory(x)))
	if err != nil {
		t.Fatal(err)
	}
	if want := mat.NewDense(3, 3, []float64{0, 0, 0, 1, 0.5, 0, 0.5, 1, 0}); !mat.Equal(s.Apply(x), want) || !slices.Equal(constant, []int{2}) {
		t.Errorf("got %v, constant %v", s.Apply(x), constant)
	}
}

// Missing cells do not count, and a column with no other cells is constant.
func TestOwnExtremesOfMissingCells(t *testing.T) {
	none := math.NaN()
	low, size, constant, err := columnstats.OwnExtremes(rows.InMemory(mat.NewDense(3, 3, []float64{1, none, none, none, -2, none, 4, 3, none})))
	if err != nil || !slices.Equal(low, []float64{1, -2, 0}) || !slices.Equal(size, []float64{3, 5, 1}) || !slices.Equal(constant, []int{2}) {
		t.Errorf("low %v, size %v, constant %v, %v", low, size, constant, err)
	}
}
