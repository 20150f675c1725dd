package gmm

import (
	"encoding/csv"
	"fmt"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
)

// emKnown holds EM from identity precisions, computed by an independent program.
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

// covariance returns value i, j of component k in any of the three forms.
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
		readJSON(t, fmt.Sprintf("em-%s.json.gz", form), &want)
		x := dense(want.X)
		ones := mat.NewDense(3, 6, nil)
		ones.Apply(func(int, int, float64) float64 { return 1 }, ones)
		start, err := NewDiagMixture(form, want.InitWeights, dense(want.InitMeans), ones)
		if form == Full {
			start, err = identityStart(want.InitWeights, dense(want.InitMeans))
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
			near(t, fmt.Sprintf("%s: log-likelihood before iteration %d", form, i+1), got.Trace[i], w.MeanLogLik, tol)
		}
		m := got.Mixture
		nearAll(t, form.String()+": weights", m.Weights(), want.Weights, tol)
		nearAll(t, form.String()+": means", m.Means().RawMatrix().Data, dense(want.Means).RawMatrix().Data, tol)
		for k := range 3 {
			for i := range 6 {
				for j := range 6 {
					near(t, form.String()+": covariance", m.Covariance(k).At(i, j), want.covariance(k, i, j), tol)
				}
			}
		}
		near(t, form.String()+": BIC", m.BIC(x), want.BIC, tol)
		nearAll(t, form.String()+": log densities", m.LogDensities(nil, x), want.ScoreSamples, tol)
	}
}

func identityStart(weights []float64, means *mat.Dense) (*Mixture, error) {
	k, dim := means.Dims()
	precisions := make([]*mat.SymDense, k)
	for c := range precisions {
		precisions[c] = mat.NewSymDense(dim, nil)
		for i := range dim {
			precisions[c].SetSym(i, i, 1)
		}
	}
	return NewMixture(weights, means, precisions)
}

func readCSV(t testing.TB, name string) *mat.Dense {
	t.Helper()
	records, err := csv.NewReader(open(t, name)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	x := mat.NewDense(len(records)-1, len(records[0]), nil)
	for j, r := range records[1:] {
		for i, field := range r {
			v, err := strconv.ParseFloat(field, 64)
			if err != nil {
				t.Fatalf("%s: row %d: %v", name, j+1, err)
			}
			x.Set(j, i, v)
		}
	}
	return x
}

// Five participants, 20 rounds: Eqs. (12) to (16), (19), computed by an
// independent program on the pooled rows.
func TestLearnerKnownAnswers(t *testing.T) {
	var params struct {
		Lambda0, Rho float64
		Iterations   int
	}
	var want struct {
		LogLik     []float64
		Means      [][]float64
		Precisions [][][]float64
		Weights    [][]float64
		Scores     [][]float64
	}
	readJSON(t, "ggm-small/params.json.gz", &params)
	readJSON(t, "ggm-small/expected.json.gz", &want)
	init, err := ReadParameters(open(t, "ggm-small/init.json.gz"))
	if err != nil {
		t.Fatal(err)
	}
	var data []*mat.Dense
	for s := range want.Weights {
		data = append(data, readCSV(t, fmt.Sprintf("ggm-small/participant-%02d.csv.gz", s+1)))
	}
	config := Config{Components: len(want.Means), Lambda0: params.Lambda0, Rho: params.Rho, Init: init}
	const tol = 1e-6

	// The pooled log-likelihood before each round is the objective less the prior.
	var logLik []float64
	learners := make([]*Learner, len(data))
	together(t, len(data), func(g collabdict.Group, s int) (err error) {
		if learners[s], err = NewLearner(Matrix(data[s]), config); err != nil {
			return err
		}
		if err := learners[s].Start(t.Context(), g); err != nil {
			return err
		}
		for range params.Iterations {
			before := learners[s].prior.logDensity(learners[s].model)
			x, blocks, _ := learners[s].LocalUpdate()
			total, err := g.Sum(t.Context(), x, blocks)
			if err != nil {
				return err
			}
			objective, err := learners[s].Optimize(total, true)
			if err != nil {
				return err
			}
			if s == 0 {
				logLik = append(logLik, objective-before)
			}
		}
		return nil
	})
	for i, got := range logLik[:min(len(logLik), len(want.LogLik))] {
		near(t, fmt.Sprintf("log-likelihood before round %d", i+1), got, want.LogLik[i], 1e-9)
	}
	if len(logLik) != len(want.LogLik) {
		t.Errorf("%d rounds, want %d", len(logLik), len(want.LogLik))
	}

	trained, _ := train(t, config, params.Iterations, data...)
	for s, l := range trained {
		m := l.Model()
		nearAll(t, "means", m.Means().RawMatrix().Data, dense(want.Means).RawMatrix().Data, tol)
		for k, p := range want.Precisions {
			nearAll(t, "precisions", mat.DenseCopyOf(m.Precision(k)).RawMatrix().Data, dense(p).RawMatrix().Data, tol)
		}
		nearAll(t, "weights", m.Weights(), want.Weights[s], tol)
		scores := m.Scores(nil, data[s])
		nearAll(t, "scores", scores[:len(want.Scores[s])], want.Scores[s], tol)
	}
}
