package simulate

import (
	"fmt"
	"testing"

	"github.com/collabdict/collabdict/internal/data/plants"
	"github.com/collabdict/collabdict/internal/testkit"
	"github.com/collabdict/collabdict/internal/testkit/pipelinetest"
)

// No row can be read from the totals of a start, even if there are few rows and they lie far
// apart.
func TestNoRowIsReadFromTheStart(t *testing.T) {
	testkit.LongOnly(t)
	testkit.SkipRaced(t)
	for _, c := range []struct {
		spec       plants.Spec
		components int
		kind       string
		start      string
	}{
		{plants.Spec{Participants: 5, Rows: 200, Columns: 6, Patterns: 5}, 5, "ggm", ""},
		{plants.Spec{Participants: 5, Rows: 50, Columns: 6, Patterns: 5}, 5, "ggm", ""},
		{plants.Spec{Participants: 14, Rows: 200, Columns: 38, Patterns: 10}, 10, "ggm", ""},
		{plants.Spec{Participants: 5, Rows: 50, Columns: 6, Patterns: 5}, 5, "dem", "spread"},
		{plants.Spec{Participants: 5, Rows: 50, Columns: 6, Patterns: 5}, 5, "dem", "k-fed"},
	} {
		for seed := range seeds(t, 2) {
			options := []string{fmt.Sprintf("components=%d", c.components), "rounds=2", "tol=1e-6", fmt.Sprintf("seed=%d", seed)}
			switch {
			case c.start != "":
				options = append(options, "start="+c.start)
			case c.spec.Columns > 6: // a cluster may have a single row, which only the blur hides
				options = append(options, "lambda=0.03", "hold-out=0")
			default:
				options = append(options, "rho=1")
			}
			k := pipelinetest.Task(t, c.kind, options...)
			run, err := SimulateUnder(t.Context(), Conditions{Adversary: Adversary{Differencing: true}}, k, plants.Generate(c.spec, seed), nil)
			if err != nil {
				t.Fatal(err)
			}
			d := run.Report.Protection.Differencing
			if want := c.spec.Participants * c.spec.Rows; d == nil || d.Start != 0 || d.Of != want {
				t.Errorf("%s, %+v, seed %d: %+v, want 0 of %d rows", c.kind, c.spec, seed, d, want)
			}
			if run.Models[0].Manifest.Privacy.Protection.Differencing != d {
				t.Error("the models do not record the result of the attack")
			}
		}
	}
}
