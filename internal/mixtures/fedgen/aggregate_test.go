package fedgen_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/mixtures/fedgen"
	"github.com/collabdict/collabdict/internal/testkit/grouptest"
)

func config(k int) fedgen.Config {
	r := fedgen.Range{Min: k, Max: k}
	return fedgen.Config{Local: r, Global: r, EM: gmm.EM{Form: gmm.Diag}, Seed: seed(1)}
}

// meanAndCovariance returns the mean and the covariance of the whole mixture: Σ w μ and Σ w (C
// + μμᵀ) − μ̄μ̄ᵀ.
func meanAndCovariance(m fedgen.Moments) ([]float64, *mat.SymDense) {
	dim := m.Dim()
	mean, cov := make([]float64, dim), mat.NewSymDense(dim, nil)
	for k, w := range m.Weights {
		for i := range dim {
			mean[i] += w * m.Means[k][i]
			for j := i; j < dim; j++ {
				v := m.Means[k][i] * m.Means[k][j]
				if m.Form == gmm.Full {
					v += m.Covariances[k][i*dim+j]
				} else if i == j {
					v += m.Covariances[k][i]
				}
				cov.SetSym(i, j, cov.At(i, j)+w*v)
			}
		}
	}
	for i := range dim {
		for j := i; j < dim; j++ {
			cov.SetSym(i, j, cov.At(i, j)-mean[i]*mean[j])
		}
	}
	return mean, cov
}

func TestMergeWeighsByRows(t *testing.T) {
	a, b := contribution(t, gmm.Diag, 2, 3, 1), contribution(t, gmm.Diag, 3, 3, 2)
	a.Rows, b.Rows = 30, 10
	m, rows := fedgen.Merge([]fedgen.Contribution{a, b})
	if rows != 40 || len(m.Weights) != 5 {
		t.Fatalf("got %d components of %d rows, want 5 of 40", len(m.Weights), rows)
	}
	near(t, "first weight", m.Weights[0], 0.75*a.Weights[0], 1e-15)
	near(t, "last weight", m.Weights[4], 0.25*b.Weights[2], 1e-15)
	if !reflect.DeepEqual(m.Means[2], b.Means[0]) {
		t.Error("components are not in the order of the contributions")
	}
}

// Drawn rows have the mean and the covariance of the mixture.
func TestSampleMoments(t *testing.T) {
	for _, form := range forms {
		m := contribution(t, form, 3, 3, 5).Moments
		const n = 50000
		x, err := m.Sample(n, rand.NewChaCha8(seed(3)))
		if err != nil {
			t.Fatal(err)
		}
		mean, cov := meanAndCovariance(m)
		var got mat.SymDense
		stat.CovarianceMatrix(&got, x, nil)
		for i := range mean {
			near(t, form.String()+": mean", stat.Mean(mat.Col(nil, i, x), nil), mean[i], 6*math.Sqrt(cov.At(i, i)/n))
			for j := i; j < len(mean); j++ {
				near(t, form.String()+": covariance", got.At(i, j), cov.At(i, j), 6*math.Sqrt(3*cov.At(i, i)*cov.At(j, j)/n))
			}
		}
	}
}

// All members of a group draw these bytes, on whatever machine.
func TestSampleBytes(t *testing.T) {
	sum := sha256.New()
	for _, form := range forms {
		m := fedgen.Moments{Form: form, Weights: []float64{0.3, 0, 0.7}, Means: [][]float64{{1, 2}, {0, 0}, {-1, 0.1}}}
		for range m.Weights {
			c := []float64{0.5, 0.5}
			if form == gmm.Full {
				c = []float64{0.7, 0.3, 0.3, 1.3}
			}
			m.Covariances = append(m.Covariances, c)
		}
		x, err := m.Sample(500, rand.NewChaCha8(seed(4)))
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range x.RawMatrix().Data {
			sum.Write(binary.BigEndian.AppendUint64(nil, math.Float64bits(v)))
		}
	}
	const want = "1e8f2c191eff3d9b6f7a86eabeebaf5a1731ff279ed9d2dcc94e380c3fd8f40e"
	if got := hex.EncodeToString(sum.Sum(nil)); got != want {
		t.Errorf("digest %s, want %s", got, want)
	}
}

// without is a group in which one member publishes nothing.
type without struct {
	collabdict.Group
	lost int
}

func (w without) Gather(ctx context.Context, e collabdict.Entry, blob []byte) ([][]byte, error) {
	all, err := w.Group.Gather(ctx, e, blob)
	if err == nil {
		all[w.lost] = nil
	}
	return all, err
}

// Every member gets the same bytes, and a member that is lost before the Gather ends is left
// out.
func TestLearnIsTheSameEverywhere(t *testing.T) {
	parts, _ := clients(t)
	const lost = 2
	results := make([]*fedgen.Result, len(parts))
	grouptest.Together(t, len(parts), func(g collabdict.Group, s int) (err error) {
		c := config(4)
		c.Local = fedgen.Range{Min: 1 + s%2, Max: 6}
		results[s], err = fedgen.Learn(t.Context(), without{g, lost}, parts[s], c)
		return err
	})
	rows := 0
	for s, x := range parts {
		if n, _ := x.Dims(); s != lost {
			rows += n
		}
		if results[s].Rows != results[0].Rows || !reflect.DeepEqual(fedgen.MomentsOf(results[s].Mixture), fedgen.MomentsOf(results[0].Mixture)) {
			t.Errorf("members 0 and %d hold different mixtures", s)
		}
	}
	if r := results[0]; r.Rows != rows || r.Synthetic != 100*r.Gathered {
		t.Errorf("got %d rows and %d synthetic ones for %d components, want %d rows and 100 a component", r.Rows, r.Synthetic, r.Gathered, rows)
	}
}

func TestExchangeNamesTheMember(t *testing.T) {
	var failed error
	grouptest.Together(t, 2, func(g collabdict.Group, s int) error {
		own := contribution(t, gmm.Diag, 2+5*s, 3, uint64(s))
		_, err := fedgen.Exchange(t.Context(), g, own, config(2))
		if s == 0 {
			failed = err
		}
		return nil
	})
	want := "mixture of member 2 of 2: want 1 to 2 components as agreed, got 7"
	if failed == nil || failed.Error() != want {
		t.Errorf("got error %v, want %q", failed, want)
	}
}

// An independent program ran the same recipe on these rows 40 times (testdata/recipe.py).
func TestRecipeOfAnotherProgram(t *testing.T) {
	raw, err := os.ReadFile("testdata/recipe.json")
	if err != nil {
		t.Fatal(err)
	}
	var other struct{ FedGen, Pooled, Local []float64 }
	if err := json.Unmarshal(raw, &other); err != nil {
		t.Fatal(err)
	}
	parts, all := clients(t)
	var fedGen, reduced, pooled, local []float64
	for run := range byte(8) {
		c := config(8)
		c.Seed = seed(run)
		var published []fedgen.Contribution
		var own []*gmm.Mixture
		for _, x := range parts {
			one, _, err := fedgen.Local(x, c)
			if err != nil {
				t.Fatal(err)
			}
			m, err := one.Mixture()
			if err != nil {
				t.Fatal(err)
			}
			published, own = append(published, one), append(own, m)
		}
		r, err := fedgen.Aggregate(published, c)
		if err != nil {
			t.Fatal(err)
		}
		c.Reduce = true
		start, err := fedgen.Aggregate(published, c)
		if err != nil {
			t.Fatal(err)
		}
		choices, best, err := fedgen.Select(all, c.Global, c.EM, c.Seed)
		if err != nil {
			t.Fatal(err)
		}
		reduced = append(reduced, meanLogLik(t, start.Mixture, all))
		fedGen = append(fedGen, meanLogLik(t, r.Mixture, all))
		pooled = append(pooled, choices[best].MeanLogLik)
		local = append(local, stat.Mean(averageLogDensities(own, all), nil))
	}
	for _, c := range []struct {
		name      string
		got, want []float64
	}{{"shared", fedGen, other.FedGen}, {"shared, from the reduced mixture", reduced, other.FedGen}, {"pooled", pooled, other.Pooled}, {"local", local, other.Local}} {
		m, sd := stat.MeanStdDev(c.got, nil)
		want, wantSD := stat.MeanStdDev(c.want, nil)
		t.Logf("%s: %.4f ± %.4f, the other program %.4f ± %.4f", c.name, m, sd, want, wantSD)
		// three standard errors of the difference below, or better
		if least := want - 3*math.Hypot(sd/math.Sqrt(8), wantSD/math.Sqrt(40)); m < least {
			t.Errorf("%s: mean log-likelihood %.4f, want at least %.4f", c.name, m, least)
		}
	}
}

func TestBICFindsTheComponents(t *testing.T) {
	truth := fedgen.Contribution{Rows: 900, Moments: fedgen.Moments{
		Form: gmm.Diag, Weights: []float64{0.25, 0.25, 0.5},
		Means: [][]float64{{0, 0}, {6, 0}, {0, 6}}, Covariances: [][]float64{{1, 1}, {1, 2}, {2, 1}},
	}}
	c := config(1)
	c.Global = fedgen.Range{Min: 1, Max: 6}
	c.PerComponent = 500
	for _, c.Reduce = range []bool{false, true} {
		r, err := fedgen.Aggregate([]fedgen.Contribution{truth}, c)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Mixture.Components(); got != 3 {
			t.Errorf("reduced %t: got %d components, want 3", c.Reduce, got)
		}
		if best := r.Choices[r.Best]; best.Components != 3 || !(best.BICData > 0) {
			t.Errorf("reduced %t: the best choice is %+v", c.Reduce, best)
		}
	}
}

func TestNoContributions(t *testing.T) {
	if _, err := fedgen.Aggregate(nil, config(2)); err == nil {
		t.Error("got a mixture without contributions")
	}
}

// averageLogDensities returns the log density of each row of x in nats, averaged over several
// mixtures. It is the paper's baseline of local models with averaged scores. For the other
// baseline, all rows in one place, use [fedgen.Select].
func averageLogDensities(mixtures []*gmm.Mixture, x *mat.Dense) []float64 {
	rows, _ := x.Dims()
	sum := make([]float64, rows)
	for _, m := range mixtures {
		floats.Add(sum, m.LogDensities(nil, x))
	}
	floats.Scale(1/float64(len(mixtures)), sum)
	return sum
}
