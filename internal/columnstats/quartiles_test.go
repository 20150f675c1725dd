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
	"github.com/collabdict/collabdict/internal/columnstats"
	"github.com/collabdict/collabdict/internal/rows"
	"github.com/collabdict/collabdict/netsim"
)

// Without a group, quartiles are exact for values of any size.
func TestQuartilesAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.OneOf(rapid.Float64Range(-1e60, 1e60), rapid.Float64Range(-2, 2), rapid.SampledFrom([]float64{0, 1, 1e-300, math.Copysign(0, -1)})), 1, 40).Draw(t, "values")
		first, second, third, err := columnstats.Quartiles(context.Background(), collabdict.Solo{}, rows.InMemory(mat.NewDense(len(values), 1, values)))
		if err != nil {
			t.Fatal(err)
		}
		gaps := slices.Concat([]float64{math.NaN()}, values, []float64{math.NaN(), -math.NaN()})
		one, two, three, err := columnstats.Quartiles(context.Background(), collabdict.Solo{}, rows.InMemory(mat.NewDense(len(gaps), 1, gaps)))
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

// Over the protocol, members agree on quartiles near those of all rows. Outliers do not move them,
// and values that most rows share are exact.
func TestQuartilesTogether(t *testing.T) {
	const size, each = 5, 200
	own := func(rank int) *mat.Dense {
		rng := rand.New(rand.NewPCG(uint64(rank), 1))
		x := mat.NewDense(each, 3, nil)
		for i := range each {
			x.SetRow(i, []float64{1e4 + rng.NormFloat64(), float64(rng.IntN(2)) * 1e-3 * float64(rng.IntN(2)), 7 * rng.ExpFloat64()})
		}
		x.Set(0, 0, 1e30)
		x.Set(1, 0, -1e50)
		return x
	}
	var all [3][]float64
	for rank := range size {
		for j := range all {
			all[j] = append(all[j], mat.Col(nil, j, own(rank))...)
		}
	}
	net, err := netsim.New(netsim.Config{Names: netsim.Names(size), Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	got := make([][3][]float64, size)
	_, err = net.Run(t.Context(), func(ctx context.Context, rank int, g collabdict.Group) (err error) {
		got[rank][0], got[rank][1], got[rank][2], err = columnstats.Quartiles(ctx, g, rows.InMemory(own(rank)))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for rank := range got {
		if !reflect.DeepEqual(got[rank], got[0]) {
			t.Errorf("member %d has other quartiles", rank)
		}
	}
	for j, values := range all {
		slices.Sort(values)
		for q := range 3 {
			share := float64(q+1) / 4
			low, high := values[int((share-0.03)*size*each)], values[int((share+0.03)*size*each)]
			if v := got[0][q][j]; v < low || v > high || low == high && v != low {
				t.Errorf("column %d, quartile %d: got %.10g, want %.10g to %.10g", j, q+1, v, low, high)
			}
		}
	}
}
