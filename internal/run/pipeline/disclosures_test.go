package pipeline

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/privacy"
	"github.com/collabdict/collabdict/model"
)

// The ledger holds the noise that the algorithm reports or, if it reports none, the noise of the
// settings.
func TestSpendsAreReported(t *testing.T) {
	resultOf := func(spends ...algorithm.Spend) *Result {
		m, err := gmm.NewMixture([]float64{0.4, 0.1, 0.5}, mat.NewDense(3, 1, nil), slices.Repeat([]*mat.SymDense{mat.NewSymDense(1, []float64{1})}, 3))
		if err != nil {
			t.Fatal(err)
		}
		r := &Result{Model: &model.Model{Learned: m.WithRows([]float64{20, 7.5, 22.5})}}
		r.Inventory = []algorithm.Item{
			{What: "a bound", Form: algorithm.Published, When: algorithm.AtStart},
			{What: "quartiles", Form: algorithm.Summed, When: algorithm.AtStart},
			{What: "moments", Form: algorithm.Summed, When: algorithm.EachRound},
		}
		r.TotalRows, r.Spends = 50, spends
		return r
	}
	noisy := made(t, "fedgen", "components=2", "epsilon=2", "standardise=none", "clip=3")
	got := noisy.Disclosures(resultOf())
	if len(got.Noise) != 1 || math.Abs(got.Noise[0].Spend.Epsilon-2) > 1e-9 || got.Noise[0].Spend.Delta != 1e-5 {
		t.Errorf("by the settings: %+v", got.Noise)
	}
	got = noisy.Disclosures(resultOf(algorithm.Spend{What: "totals", ZCDP: 0.5, Delta: 1e-6, Of: "one row"}, algorithm.Spend{What: "the start", ZCDP: 0.1, Delta: 1e-6}))
	if len(got.Noise) != 2 || got.Noise[0].Spend.Epsilon != privacy.ZCDP(0.5).Epsilon(1e-6) || got.Noise[0].What != "noise in totals" {
		t.Errorf("by the kind: %+v", got.Noise)
	}
	if len(got.Published) != 1 || len(got.Learned) != 1 || got.Learned[0] != "quartiles" || len(got.Rounds) != 1 || got.Rows != 50 || got.LeastRows != 7.5 {
		t.Errorf("got %+v", got)
	}
	if got := made(t, "ggm", "components=2", "rho=1").Disclosures(resultOf()); got.Noise != nil {
		t.Errorf("without noise: %+v", got.Noise)
	}
	if got := made(t, "dem", "components=2").Disclosures(resultOf()); len(got.Noise) != 1 || got.Noise[0].Spend != nil {
		t.Errorf("a blur has a loss that is bounded: %+v", got.Noise)
	}
}

// Mixtures learned from sums hold the number of rows in each component, and these add up to all
// rows. With the relative prior they also hold the variances that scale it.
func TestComponentRowsAddUp(t *testing.T) {
	for _, options := range [][]string{{"ggm", "components=2", "rho=1"}, {"ggm", "components=2", "lambda=0.1"}, {"dem", "components=2"}} {
		k := made(t, options[0], append(options[1:], "rounds=3", "tol=0", "hold-out=0")...)
		parts, _ := clusters(3)
		for _, r := range together(t, network(t, k), k, parts) {
			rows := r.Model.Learned.(interface{ ComponentRows() []float64 }).ComponentRows()
			sum := 0.0
			for _, n := range rows {
				sum += n
			}
			if len(rows) != r.Model.Components() || math.Abs(sum-float64(r.TotalRows)) > 1e-3*float64(r.TotalRows) || (len(r.Model.PriorVariances) == r.Model.Dim()) != (options[len(options)-1] == "lambda=0.1") {
				t.Errorf("%v: %v and %v, of %d rows", options, rows, r.Model.PriorVariances, r.TotalRows)
			}
		}
	}
}
