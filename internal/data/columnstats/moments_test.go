package columnstats

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/testkit"
	"github.com/collabdict/collabdict/netsim"
)

// Over the protocol, mean and covariance are those of all rows in one place.
func TestMomentsTogether(t *testing.T) {
	const each, members = 30, 4
	rng := rand.New(rand.NewPCG(1, 2))
	all := mat.NewDense(each*members, 3, nil)
	for i := range each * members {
		u := rng.NormFloat64()
		all.SetRow(i, []float64{20 + u, -u + 0.1*rng.NormFloat64(), 1e-3 * rng.NormFloat64()})
	}
	var want mat.SymDense
	stat.CovarianceMatrix(&want, all, nil)
	net, err := netsim.New(netsim.Config{Names: netsim.Names(members), Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	_, err = net.Run(t.Context(), func(ctx context.Context, rank int, g collabdict.Group) error {
		own := matrix{all.Slice(each*rank, each*(rank+1), 0, 3).(*mat.Dense)}
		b, err := Agree(ctx, g, own)
		if err != nil {
			return err
		}
		m, err := sumMoments(ctx, g, own, b)
		if err != nil {
			return err
		}
		mean, covariance := m.Mean(), m.Covariance()
		for i := range 3 {
			deviation := math.Sqrt(want.At(i, i))
			if want := stat.Mean(mat.Col(nil, i, all), nil); math.Abs(mean[i]-want) > 1e-4*deviation {
				t.Errorf("mean of column %d: %g, want %g", i, mean[i], want)
			}
			for j := range 3 {
				// gonum divides by n−1.
				if c := want.At(i, j) * (each*members - 1) / (each * members); math.Abs(covariance[3*i+j]-c) > 1e-4*deviation*math.Sqrt(want.At(j, j)) {
					t.Errorf("covariance of %d and %d: %g, want %g", i, j, covariance[3*i+j], c)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The moments of many columns, where all workers add to one set of sums, are those of the rows.
func TestProductsOfManyColumns(t *testing.T) {
	const n, dim = 700, manyColumns + 3
	rng := rand.New(rand.NewPCG(4, 4))
	x := mat.NewDense(n, dim, nil)
	x.Apply(func(_, j int, _ float64) float64 { return float64(j%5) + rng.NormFloat64() }, x)
	got, err := sumMoments(t.Context(), collabdict.Solo{}, matrix{x}, Bounds{Rows: 1024, TotalRows: 1024, RMS: slices.Repeat([]float64{8}, dim)})
	if err != nil {
		t.Fatal(err)
	}
	var want mat.Dense
	want.Mul(x.T(), x)
	for i := range dim {
		testkit.Near(t, "sum", got.Sums[i], mat.Sum(x.ColView(i)), 1e-9)
		for j := i; j < dim; j++ {
			testkit.Near(t, "product", got.Products[i*dim+j], want.At(i, j), 1e-9*n)
		}
	}
	if got.Count != n {
		t.Errorf("%g rows, want %d", got.Count, n)
	}
}
