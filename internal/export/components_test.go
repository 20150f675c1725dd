package export

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/mixtures/ggm"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/model"
)

// Components have their weights and means, and name the columns that depend on each other, the strongest first.
func TestComponentsOfAMixture(t *testing.T) {
	precision := mat.NewSymDense(3, []float64{1, -0.2, 0, -0.2, 1, 0.5, 0, 0.5, 1})
	mixture, err := gmm.NewMixture([]float64{0.25, 0.75}, mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6}), []*mat.SymDense{precision, mat.NewSymDense(3, []float64{1, 0, 0, 0, 1, 0, 0, 0, 1})})
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.New(ggm.Kind.Name, ggm.Kind.New().Options(), []string{"a", "b", "c"}, mixture)
	if err != nil {
		t.Fatal(err)
	}
	got := Components(m)
	if len(got) != 2 || got[0].Weight != 0.25 || !slices.Equal(got[1].Mean, []float64{4, 5, 6}) || got[1].Edges == nil || len(got[1].Edges) != 0 {
		t.Fatalf("got %+v", got)
	}
	want := []report.Edge{{A: "b", B: "c", PartialCorrelation: -0.5}, {A: "a", B: "b", PartialCorrelation: 0.2}}
	for i, e := range got[0].Edges {
		if len(got[0].Edges) != 2 || e.A != want[i].A || e.B != want[i].B || math.Abs(e.PartialCorrelation-want[i].PartialCorrelation) > 1e-12 {
			t.Fatalf("got %+v, want %+v", got[0].Edges, want)
		}
	}
}
