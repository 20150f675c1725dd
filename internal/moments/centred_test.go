package moments

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/dataset"
	"github.com/collabdict/collabdict/netsim"
)

// Over the protocol, mean and covariance are those of the rows in one place, also far
// from zero.
func TestCentred(t *testing.T) {
	const each, members = 30, 4
	rng := rand.New(rand.NewPCG(1, 2))
	all := mat.NewDense(each*members, 3, nil)
	for i := range each * members {
		u := rng.NormFloat64()
		all.SetRow(i, []float64{1e6 + u, -u + 0.1*rng.NormFloat64(), 1e-3 * rng.NormFloat64()})
	}
	var want mat.SymDense
	stat.CovarianceMatrix(&want, all, nil)
	net, err := netsim.New(netsim.Config{Names: netsim.Names(members), Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	_, err = net.Run(t.Context(), func(ctx context.Context, rank int, g collabdict.Group) error {
		got, err := Centred(ctx, g, dataset.InMemory(all.Slice(each*rank, each*(rank+1), 0, 3).(*mat.Dense)))
		if err != nil {
			return err
		}
		covariance := got.About.Covariance()
		for i := range 3 {
			deviation := math.Sqrt(want.At(i, i))
			if mean := stat.Mean(mat.Col(nil, i, all), nil); math.Abs(got.Mean[i]-mean) > 1e-2*deviation {
				t.Errorf("mean of column %d: %g, want %g", i, got.Mean[i], mean)
			}
			for j := range 3 {
				// gonum divides by one less.
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
