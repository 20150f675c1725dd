package simulate

import (
	"testing"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/pipeline"
	"github.com/collabdict/collabdict/internal/plants"
	"github.com/collabdict/collabdict/model"
)

// No row can be read from the totals of a start, however few rows there are and however
// far apart they lie.
func TestNoRowIsReadFromTheStart(t *testing.T) {
	for _, c := range []struct {
		spec       plants.Spec
		components int
		kind       model.Kind
		start      pipeline.Start
	}{
		{plants.Spec{Participants: 5, Rows: 200, Columns: 6, Patterns: 5}, 5, model.GGM, ""},
		{plants.Spec{Participants: 5, Rows: 50, Columns: 6, Patterns: 5}, 5, model.GGM, ""},
		{plants.Spec{Participants: 14, Rows: 200, Columns: 38, Patterns: 10}, 10, model.GGM, ""},
		{plants.Spec{Participants: 5, Rows: 50, Columns: 6, Patterns: 5}, 5, model.DEM, pipeline.Spread},
		{plants.Spec{Participants: 5, Rows: 50, Columns: 6, Patterns: 5}, 5, model.DEM, pipeline.KFed},
	} {
		for seed := range uint64(2) {
			k, _ := example(algorithm.Global)
			k.Model, k.Components, k.Rounds, k.Seed = c.kind, c.components, 2, seed
			if c.kind == model.DEM {
				k.Lambda0, k.Rho, k.Covariance, k.Start = 0, 0, "diag", c.start
			}
			run, err := SimulateUnder(t.Context(), Conditions{Adversary: Adversary{Differencing: true}}, k, plants.Generate(c.spec, seed), nil)
			if err != nil {
				t.Fatal(err)
			}
			d := run.Report.Protection.Differencing
			if want := c.spec.Participants * c.spec.Rows; d == nil || d.Start != 0 || d.Of != want {
				t.Errorf("%s, %+v, seed %d: %+v, want 0 of %d rows", c.kind, c.spec, seed, d, want)
			}
			if run.Models[0].Manifest.Privacy.Protection.Differencing != d {
				t.Error("the models do not know what the attack has found")
			}
		}
	}
}
