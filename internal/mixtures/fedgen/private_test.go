package fedgen_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/mixtures/fedgen"
)

func privacy(epsilon float64) fedgen.Privacy {
	return fedgen.Privacy{Epsilon: epsilon, Delta: 1e-5, Low: []float64{-5, 0}, High: []float64{15, 20}}
}

// Privacy costs little with many rows and a moderate ε, more with a small ε, and nearly
// everything with few rows.
func TestPrivateIsWorthItsEpsilon(t *testing.T) {
	truth := fedgen.Moments{
		Form: gmm.Diag, Weights: []float64{0.3, 0.3, 0.4},
		Means: [][]float64{{0, 5}, {10, 5}, {5, 14}}, Covariances: [][]float64{{1, 2}, {2, 1}, {1.5, 1.5}},
	}
	x, err := truth.Sample(20000, rand.NewChaCha8(seed(1)))
	if err != nil {
		t.Fatal(err)
	}
	logLik := func(form gmm.Covariance, epsilon float64, rows int) float64 {
		got, _, err := fedgen.Private(x.Slice(0, rows, 0, 2).(*mat.Dense), 6, form, privacy(epsilon), seed(2), rand.NewChaCha8(seed(3)))
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(float64(got.Rows-rows)) > 20*privacy(epsilon).Sigma() {
			t.Errorf("%g: got %d rows for %d", epsilon, got.Rows, rows)
		}
		m, err := got.Mixture()
		if err != nil {
			t.Fatal(err)
		}
		return meanLogLik(t, m, x)
	}
	m, err := truth.Mixture()
	if err != nil {
		t.Fatal(err)
	}
	best := meanLogLik(t, m, x)
	for _, form := range forms {
		much, some, little, few := logLik(form, 50, 20000), logLik(form, 2, 20000), logLik(form, 0.05, 20000), logLik(form, 0.5, 100)
		t.Logf("%s: true %.3f, ε = 50: %.3f, 2: %.3f, 0.05: %.3f; 100 rows, 0.5: %.3f", form, best, much, some, little, few)
		if best-much > 0.05 || best-some > 0.3 || some < little || little < few {
			t.Errorf("%s: mean log-likelihoods are not in order", form)
		}
	}
}

// Any rows give a contribution that can be published, whatever the noise.
func TestPrivateTakesAnyRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 10).Draw(t, "rows")
		value := rapid.OneOf(rapid.Float64Range(-5, 20), rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e300}))
		x := mat.NewDense(n, 2, rapid.SliceOfN(value, 2*n, 2*n).Draw(t, "values"))
		form := rapid.SampledFrom(forms).Draw(t, "form")
		source := rapid.Uint64().Draw(t, "noise")
		private := func() fedgen.Contribution {
			got, _, err := fedgen.Private(x, 3, form, privacy(1), seed(2), rand.NewPCG(source, 1))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := got.Mixture(); err != nil {
				t.Fatal(err)
			}
			return got
		}
		if got := private(); !reflect.DeepEqual(private(), got) {
			t.Fatal("the same noise gives another contribution")
		}
	})
}

func TestPrivacyErrors(t *testing.T) {
	for _, c := range []struct {
		change func(*fedgen.Privacy)
		want   string
	}{
		{func(p *fedgen.Privacy) { p.Epsilon = 0 }, "want an epsilon above 0 and at most 100, and a delta between 0 and 1, got 0 and 1e-05"},
		{func(p *fedgen.Privacy) { p.Delta = 1 }, "got 1 and 1"},
		{func(p *fedgen.Privacy) { p.Low = p.Low[:1] }, "want a range for each of the 2 columns, got 1 low and 2 high ends"},
		{func(p *fedgen.Privacy) { p.High = []float64{15, 0} }, "column 2: want a finite range from low to high, got 0 to 0"},
		{func(p *fedgen.Privacy) { p.Iterations = -1 }, "want at least 1 iteration"},
	} {
		p := privacy(1)
		c.change(&p)
		if _, _, err := fedgen.Private(mat.NewDense(1, 2, nil), 1, gmm.Diag, p, seed(1), rand.NewPCG(1, 1)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got error %v, want %q", err, c.want)
		}
	}
}
