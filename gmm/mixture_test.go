package gmm

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distmv"

	"github.com/collabdict/collabdict/internal/mixtures/passes"
	"github.com/collabdict/collabdict/internal/testkit"
)

func example(t testing.TB) (*Mixture, *mat.Dense) {
	x := testkit.Patterns(900, 4, 3, 2)
	f, err := Fit(x, 3, EM{}, testkit.Seed(1))
	if err != nil {
		t.Fatal(err)
	}
	return f.Mixture, x
}

func TestDensityAndScoreMatchDefinition(t *testing.T) {
	m, x := example(t)
	logs, scores, r := m.LogDensities(nil, x), m.Scores(nil, x), m.Responsibilities(x)
	for n := range 900 {
		row := x.RawRowView(n)
		total, score := 0.0, 0.0
		joint := make([]float64, 3)
		for k, w := range m.Weights() {
			d, ok := distmv.NewNormal(m.Means().RawRowView(k), m.Covariance(k), nil)
			if !ok {
				t.Fatal("covariance is not positive definite")
			}
			joint[k] = w * math.Exp(d.LogProb(row))
			total += joint[k]
			score -= joint[k] * d.LogProb(row)
		}
		testkit.Near(t, "log density", logs[n], math.Log(total), 1e-9)
		testkit.Near(t, "score", scores[n], score/total, 1e-9)
		testkit.Near(t, "responsibility", r.At(n, 1), joint[1]/total, 1e-9)
	}
	testkit.Near(t, "one row's log density", m.LogDensity(x.RawRowView(7)), logs[7], 1e-14)
	testkit.Near(t, "one row's score", m.Score(x.RawRowView(7)), scores[7], 1e-14)
	testkit.Near(t, "mean", meanLogLik(t, m, x), stat.Mean(logs, nil), 1e-12)
}

func TestFormsAgree(t *testing.T) {
	x := testkit.Patterns(300, 3, 2, 1)
	for _, form := range []Covariance{Diag, Spherical} {
		f, err := Fit(x, 2, EM{Form: form}, testkit.Seed(3))
		if err != nil {
			t.Fatal(err)
		}
		m := f.Mixture
		full, err := NewMixture(m.Weights(), m.Means(), []*mat.SymDense{m.Precision(0), m.Precision(1)})
		if err != nil {
			t.Fatal(err)
		}
		testkit.NearAll(t, form.String()+": scores", m.Scores(nil, x), full.Scores(nil, x), 1e-12)
		got, _ := m.Explain(x)
		want, _ := full.Explain(x)
		testkit.NearAll(t, form.String()+": contributions", got.Parts.RawMatrix().Data, want.Parts.RawMatrix().Data, 1e-12)
		testkit.NearAll(t, form.String()+": expected values", got.Expected.RawMatrix().Data, want.Expected.RawMatrix().Data, 1e-12)
		for i, v := range f.Trace[1:] {
			if v < f.Trace[i]-1e-9 {
				t.Errorf("%s: log-likelihood falls from %g to %g", form, f.Trace[i], v)
			}
		}
	}
}

func TestSampleHasTheMixturesMoments(t *testing.T) {
	m, _ := example(t)
	const n = 20000
	x := m.Sample(n, testkit.Seed(8))
	if !testkit.SameBits(x.RawMatrix().Data, m.Sample(n, testkit.Seed(8)).RawMatrix().Data) {
		t.Error("the same source gave other rows")
	}
	want := mat.NewVecDense(4, nil)
	second := mat.NewSymDense(4, nil)
	for k, w := range m.Weights() {
		want.AddScaledVec(want, w, m.means.RowView(k))
		c := m.Covariance(k)
		c.ScaleSym(w, c)
		second.AddSym(second, c)
		second.SymRankOne(second, w, m.means.RowView(k))
	}
	second.SymRankOne(second, -1, want)
	var got mat.SymDense
	stat.CovarianceMatrix(&got, x, nil)
	for i := range 4 {
		sd := math.Sqrt(second.At(i, i))
		// five standard errors of a mean, and of a covariance up to kurtosis 5
		testkit.Near(t, "mean", stat.Mean(mat.Col(nil, i, x), nil), want.AtVec(i), 5*sd/math.Sqrt(n))
		for j := range 4 {
			testkit.Near(t, "covariance", got.At(i, j), second.At(i, j), 10*sd*math.Sqrt(second.At(j, j))/math.Sqrt(n))
		}
	}
}

// The sums of EStep over two sets of rows add up to those of all rows, as decentralised EM needs.
func TestStepsAreAdditive(t *testing.T) {
	x := testkit.Patterns(500, 3, 3, 2)
	for _, form := range []Covariance{Full, Diag, Spherical} {
		f, err := Fit(x, 3, EM{Form: form, Iterations: 1}, testkit.Seed(4))
		if err != nil {
			t.Fatal(err)
		}
		sums := f.Mixture.EStep(x.Slice(0, 123, 0, 3).(*mat.Dense))
		floats.Add(sums, f.Mixture.EStep(x.Slice(123, 500, 0, 3).(*mat.Dense)))
		testkit.Near(t, "log-likelihood", sums[f.Mixture.SumsLen()-1]/500, meanLogLik(t, f.Mixture, x), 1e-12)
		got, err := f.Mixture.MStep(sums, 1e-6)
		if err != nil {
			t.Fatal(err)
		}
		want, err := FitFrom(f.Mixture, x, EM{Iterations: 1})
		if err != nil {
			t.Fatal(err)
		}
		testkit.NearAll(t, form.String(), flat(got), flat(want.Mixture), 1e-9)
	}
}

func TestFitOnAwkwardRows(t *testing.T) {
	same := mat.NewDense(6, 2, nil)
	two := mat.NewDense(6, 2, []float64{0, 0, 0, 0, 0, 0, 5, 5, 5, 5, 5, 5})
	for name, x := range map[string]*mat.Dense{"equal rows": same, "two distinct rows": two} {
		for _, form := range []Covariance{Full, Diag, Spherical} {
			f, err := Fit(x, 4, EM{Form: form}, testkit.Seed(6))
			if err != nil {
				t.Errorf("%s, %s: %v", name, form, err)
				continue
			}
			if v := meanLogLik(t, f.Mixture, x); math.IsNaN(v) || math.IsInf(v, 0) {
				t.Errorf("%s, %s: mean log-likelihood %g", name, form, v)
			}
		}
	}
	if _, err := Fit(same, 7, EM{}, testkit.Seed(1)); err == nil || !strings.Contains(err.Error(), "want 1 to 6, the number of rows, got 7") {
		t.Errorf("seven components of six rows: got error %v", err)
	}
}

func TestKMeansFindsClusters(t *testing.T) {
	centres := testkit.Dense([][]float64{{0, 0}, {9, 0}, {0, 9}})
	truth, err := identityStart([]float64{.3, .3, .4}, centres)
	if err != nil {
		t.Fatal(err)
	}
	x := truth.Sample(400, testkit.Seed(1))
	missed := 0
	for s := range uint64(50) {
		got := KMeans(x, 3, testkit.Seed(s))
		for i, n := range Nearest(centres, got) {
			if passes.SquaredDistance(centres.RawRowView(i), got.RawRowView(n)) > 0.2 {
				missed++
				break
			}
		}
	}
	if missed > 0 {
		t.Errorf("%d of 50 starts missed a cluster, want none", missed)
	}
}

func TestMixtureErrors(t *testing.T) {
	one, means := mat.NewSymDense(1, []float64{1}), mat.NewDense(2, 1, nil)
	for want, c := range map[string]struct {
		weights    []float64
		precisions []*mat.SymDense
	}{
		"weights: want 2 values":                                  {[]float64{1}, nil},
		"weights: want a sum of 1, got 1.1":                       {[]float64{.5, .6}, nil},
		"weights: component 1: want a value from 0 to 1, got -1":  {[]float64{-1, 2}, nil},
		"precisions: want 2 matrices":                             {[]float64{.5, .5}, []*mat.SymDense{one}},
		"precisions: component 2: want a positive definite":       {[]float64{.5, .5}, []*mat.SymDense{one, mat.NewSymDense(1, []float64{-1})}},
		"precisions: component 2: want 1 by 1 values, got 2 by 2": {[]float64{.5, .5}, []*mat.SymDense{one, mat.NewSymDense(2, nil)}},
	} {
		if _, err := NewMixture(c.weights, means, c.precisions); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want %q", err, want)
		}
	}
}

// A row beyond the range of float64 is the most unusual of all, never a normal one.
func TestScoreOfOverflow(t *testing.T) {
	m, err := NewMixture([]float64{0.5, 0.5}, mat.NewDense(2, 1, []float64{0, 1}), []*mat.SymDense{mat.NewSymDense(1, []float64{1}), mat.NewSymDense(1, []float64{2})})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []float64{1e155, 1e300, -1e308, math.Inf(1)} {
		if got := m.Score([]float64{x}); !math.IsInf(got, 1) {
			t.Errorf("the score of %g is %g, want +Inf", x, got)
		}
	}
	if got := m.Score([]float64{1e100}); !(got > 1e199) || math.IsInf(got, 1) {
		t.Errorf("the score of 1e100 is %g", got)
	}
}
