package fedgen_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/mixtures/fedgen"
	_ "github.com/collabdict/collabdict/internal/testkit" // fixed draws
)

// alone is a group of one that records what it gathers.
type alone struct {
	collabdict.Solo
	blob []byte
}

func (g *alone) Gather(_ context.Context, _ collabdict.Entry, blob []byte) ([][]byte, error) {
	g.blob = blob
	return [][]byte{blob}, nil
}

// clumps draws at least `least` rows in clumps, some of them with few rows or one.
func clumps(t *rapid.T, least int) *mat.Dense {
	dim := rapid.IntRange(1, 4).Draw(t, "columns")
	rng := rand.New(rand.NewPCG(rapid.Uint64Max(1000).Draw(t, "rows"), 1))
	var values []float64
	for _, n := range rapid.SliceOfN(rapid.SampledFrom([]int{1, 2, 4, 5, 9, 30}), 1, 6).Draw(t, "clumps") {
		centre := make([]float64, dim)
		for i := range centre {
			centre[i] = 30 * rng.NormFloat64()
		}
		for range n {
			for _, c := range centre {
				values = append(values, c+rng.NormFloat64())
			}
		}
	}
	for len(values) < least*dim {
		values = append(values, rng.NormFloat64())
	}
	return mat.NewDense(len(values)/dim, dim, values)
}

// Each published component has at least five rows, and all of them together have the weight,
// the mean and the covariance of the fitted mixture.
func TestNoComponentOfFewRowsIsPublished(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := clumps(t, 5)
		rows, dim := x.Dims()
		most := rapid.IntRange(1, 6).Draw(t, "components")
		for _, form := range forms {
			c := fedgen.Config{Local: fedgen.Range{Min: 1, Max: most}, Global: fedgen.Range{Min: 1, Max: most}, EM: gmm.EM{Form: form}}
			g := &alone{}
			if _, err := fedgen.Learn(t.Context(), g, x, c); err != nil {
				t.Fatal(err)
			}
			got, err := fedgen.Decode(g.blob, form, dim, most)
			if err != nil {
				t.Fatal(err)
			}
			sum := 0.0
			for k, w := range got.Weights {
				sum += w
				if n := w * float64(got.Rows); n < 5-1e-5 {
					t.Errorf("%s: component %d of %d is of %g of %d rows", form, k+1, len(got.Weights), n, rows)
				}
			}
			choices, best, err := fedgen.Select(x, c.Local, c.EM, c.Seed)
			if err != nil {
				t.Fatal(err)
			}
			near(t, "weights", sum, 1, 1e-12)
			mean, covariance := meanAndCovariance(got.Moments)
			wantMean, want := meanAndCovariance(fedgen.MomentsOf(choices[best].Mixture))
			for i := range mean {
				near(t, "mean", mean[i], wantMean[i], 1e-9)
			}
			if form == gmm.Full {
				var difference mat.Dense
				difference.Sub(covariance, want)
				near(t, "covariance", mat.Norm(&difference, 2)/mat.Norm(want, 2), 0, 1e-9)
			}
			near(t, "sum of the variances", mat.Trace(covariance), mat.Trace(want), 1e-9)
		}
	})
}

// A case worked by hand: of components of five rows, two at 0 and three at 3 are merged to five
// at 1.8, and nothing is merged with the ninety at 100.
func TestFewRowsAreMergedByHand(t *testing.T) {
	c := fedgen.Contribution{Rows: 95, Moments: fedgen.Moments{
		Form: gmm.Diag, Weights: []float64{90. / 95, 2. / 95, 3. / 95}, Means: [][]float64{{100}, {0}, {3}}, Covariances: [][]float64{{1}, {1}, {0.5}},
	}}
	got, few, err := c.WithoutFew(5)
	if err != nil || few != 2 || len(got.Weights) != 2 || got.Means[0][0] != 100 {
		t.Fatalf("%d of few rows, %+v, %v", few, got, err)
	}
	near(t, "rows", got.Weights[1]*95, 5, 1e-12)
	near(t, "mean", got.Means[1][0], 1.8, 1e-12)
	near(t, "variance", got.Covariances[1][0], 0.7+0.24*9, 1e-12)
	if same, few, err := c.WithoutFew(2); err != nil || few != 0 || len(same.Weights) != 3 {
		t.Errorf("%d of few rows, %+v, %v", few, same, err)
	}
}

// With a minimum of one row, components stay as they were fitted. Fewer rows than the minimum
// give no contribution.
func TestOneRowIsNoBound(t *testing.T) {
	x := mat.NewDense(4, 1, []float64{0, 0.1, 0.2, 50})
	c := config(2)
	if _, _, err := fedgen.Local(x, c); err == nil || !strings.Contains(err.Error(), "want at least 5, the smallest size of a component, got 4") {
		t.Errorf("got %v", err)
	}
	c.MinRows = 1
	own, few, err := fedgen.Local(x, c)
	if err != nil || few != 0 || len(own.Weights) != 2 || own.Means[0][0] != 50 && own.Means[1][0] != 50 {
		t.Errorf("%d of few rows, %+v, %v", few, own, err)
	}
}
