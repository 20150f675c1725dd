package em

import (
	"encoding/csv"
	"fmt"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/testkit"
	"github.com/collabdict/collabdict/internal/testkit/grouptest"
)

func readCSV(t testing.TB, name string) *mat.Dense {
	t.Helper()
	records, err := csv.NewReader(testkit.OpenTestdata(t, name)).ReadAll()
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

// Five participants and 20 rounds give the results of Eqs. (12) to (16) and (19) that an
// independent program computed on the pooled rows.
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
	testkit.ReadJSON(t, "ggm-small/params.json.gz", &params)
	testkit.ReadJSON(t, "ggm-small/expected.json.gz", &want)
	init, err := gmm.ReadParameters(testkit.OpenTestdata(t, "ggm-small/init.json.gz"))
	if err != nil {
		t.Fatal(err)
	}
	var data []*mat.Dense
	for s := range want.Weights {
		data = append(data, readCSV(t, fmt.Sprintf("ggm-small/participant-%02d.csv.gz", s+1)))
	}
	config := Config{Components: len(want.Means), Lambda0: params.Lambda0, Rho: params.Rho, Init: init}
	const tol = 1e-6

	logLik := make([]float64, params.Iterations)
	own := make([][]float64, len(data)) // log-likelihoods before each round
	learners := make([]*Learner, len(data))
	grouptest.Together(t, len(data), func(g collabdict.Group, s int) (err error) {
		if learners[s], err = NewLearner(gmm.Matrix(data[s]), config); err != nil {
			return err
		}
		if err := learners[s].Start(t.Context(), g); err != nil {
			return err
		}
		for range params.Iterations {
			rows := gmm.Matrix(data[s])
			mean, _ := learners[s].Model().MeanLogLik(rows)
			n, _ := rows.Dims()
			own[s] = append(own[s], mean*float64(n))
			x, _ := learners[s].LocalUpdate()
			total, err := g.Sum(t.Context(), x)
			if err != nil {
				return err
			}
			if _, err := learners[s].Optimize(total, true); err != nil {
				return err
			}
		}
		return nil
	})
	for _, rounds := range own {
		floats.Add(logLik, rounds)
	}
	for i, got := range logLik[:min(len(logLik), len(want.LogLik))] {
		testkit.Near(t, fmt.Sprintf("log-likelihood before round %d", i+1), got, want.LogLik[i], 1e-9)
	}
	if len(logLik) != len(want.LogLik) {
		t.Errorf("%d rounds, want %d", len(logLik), len(want.LogLik))
	}

	trained, _ := train(t, config, params.Iterations, data...)
	for s, l := range trained {
		m := l.Model()
		testkit.NearAll(t, "means", m.Means().RawMatrix().Data, testkit.Dense(want.Means).RawMatrix().Data, tol)
		for k, p := range want.Precisions {
			testkit.NearAll(t, "precisions", mat.DenseCopyOf(m.Precision(k)).RawMatrix().Data, testkit.Dense(p).RawMatrix().Data, tol)
		}
		testkit.NearAll(t, "weights", m.Weights(), want.Weights[s], tol)
		scores := m.Scores(nil, data[s])
		testkit.NearAll(t, "scores", scores[:len(want.Scores[s])], want.Scores[s], tol)
	}
}
