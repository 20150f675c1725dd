package gmm

import (
	"fmt"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/testkit"
)

// emKnown holds the results of EM from identity precisions, computed by an independent program.
type emKnown struct {
	X           [][]float64
	InitMeans   [][]float64 `json:"init_means"`
	InitWeights []float64   `json:"init_weights"`
	RegCovar    float64     `json:"reg_covar"`
	Iterations  []struct {
		MeanLogLik float64 `json:"mean_loglik"`
	}
	Weights      []float64
	Means        [][]float64
	Covariances  any
	BIC          float64
	ScoreSamples []float64 `json:"score_samples"`
}

// covariance returns element (i, j) of the covariance matrix of component k, in any form.
func (e emKnown) covariance(k, i, j int) float64 {
	v := e.Covariances.([]any)[k]
	row, ok := v.([]any)
	if ok {
		if inner, full := row[i].([]any); full {
			return inner[j].(float64)
		}
		v = row[i]
	}
	if i != j {
		return 0
	}
	return v.(float64)
}

func TestEMKnownAnswers(t *testing.T) {
	for _, form := range []Covariance{Full, Diag, Spherical} {
		var want emKnown
		testkit.ReadJSON(t, fmt.Sprintf("em-%s.json.gz", form), &want)
		x := testkit.Dense(want.X)
		ones := mat.NewDense(3, 6, nil)
		ones.Apply(func(int, int, float64) float64 { return 1 }, ones)
		start, err := NewDiagMixture(form, want.InitWeights, testkit.Dense(want.InitMeans), ones)
		if form == Full {
			start, err = identityStart(want.InitWeights, testkit.Dense(want.InitMeans))
		}
		if err != nil {
			t.Fatal(err)
		}
		got, err := FitFrom(start, x, EM{RegCovar: want.RegCovar, Tol: -1, Iterations: len(want.Iterations)})
		if err != nil {
			t.Fatal(err)
		}
		const tol = 1e-8
		for i, w := range want.Iterations {
			testkit.Near(t, fmt.Sprintf("%s: log-likelihood before iteration %d", form, i+1), got.Trace[i], w.MeanLogLik, tol)
		}
		m := got.Mixture
		testkit.NearAll(t, form.String()+": weights", m.Weights(), want.Weights, tol)
		testkit.NearAll(t, form.String()+": means", m.Means().RawMatrix().Data, testkit.Dense(want.Means).RawMatrix().Data, tol)
		for k := range 3 {
			for i := range 6 {
				for j := range 6 {
					testkit.Near(t, form.String()+": covariance", m.Covariance(k).At(i, j), want.covariance(k, i, j), tol)
				}
			}
		}
		testkit.Near(t, form.String()+": BIC", m.BIC(x), want.BIC, tol)
		testkit.NearAll(t, form.String()+": log densities", m.LogDensities(nil, x), want.ScoreSamples, tol)
	}
}
