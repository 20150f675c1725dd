package simulate

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/plants"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/testkit/pipelinetest"
)

// inOwnUnits returns rows of the same patterns, in which each member has units of its own.
func inOwnUnits(parts []dataset.Participant) []dataset.Participant {
	out := make([]dataset.Participant, len(parts))
	change := func(member int, of rows.Matrix) collabdict.Rows {
		x := mat.DenseCopyOf(of.Dense)
		x.Apply(func(_, j int, v float64) float64 { return v*float64(1+3*((member+j)%4)) + 500*float64(member) }, x)
		return rows.InMemory(x)
	}
	for i, p := range parts {
		p.Train, p.Test = change(i, p.Train.(rows.Matrix)), change(i, p.Test.(rows.Matrix))
		out[i] = p
	}
	return out
}

// Held-out rows choose common scales for members whose machines are alike but have other shares of
// the patterns, and own scales for members with units of their own. All members choose the same, with
// missing cells, too. One that learns alone has only own scales.
func TestHeldOutRowsChooseScales(t *testing.T) {
	alike := plants.Generate(plants.Spec{Participants: 4, Rows: 150, Columns: 5, Patterns: 4, TestRows: 20}, 3)
	for want, parts := range map[string][]dataset.Participant{algorithm.Global: alike, algorithm.Own: inOwnUnits(alike)} {
		for _, missing := range []string{"error", "marginal"} {
			k := pipelinetest.Task(t, "ggm", "standardise=auto", "seed=2", "rounds=20", "missing="+missing)
			if missing == "marginal" {
				parts = withHoles(slices.Clone(parts), 0.05)
			}
			run, err := Simulate(t.Context(), k, parts, nil)
			if err != nil {
				t.Fatal(err)
			}
			for i, m := range run.Models {
				if m.Manifest.Standardise != want || run.Report.Participants[i].Digest != run.Report.Participants[0].Digest {
					t.Errorf("missing=%s: %s has %s scales, want %s", missing, parts[i].Name, m.Manifest.Standardise, want)
				}
			}
			for i := range alike[0].Columns {
				first, second := run.Models[0].Scaling, run.Models[1].Scaling
				if common := first.Scale[i] == second.Scale[i] && first.Shift[i] == second.Shift[i]; common != (want == algorithm.Global) {
					t.Errorf("missing=%s, %s: column %d: scales %g and %g", missing, want, i, first.Scale[i], second.Scale[i])
				}
			}
		}
	}
	alone, err := Alone(t.Context(), pipelinetest.Task(t, "ggm", "standardise=auto", "seed=2"), alike[:1])
	if err != nil {
		t.Fatal(err)
	}
	if got := alone[0].Manifest.Standardise; got != algorithm.Own {
		t.Errorf("alone: %s scales", got)
	}
}

// Without a choice to make, the scales are the own ones.
func TestScalesNeedAChoice(t *testing.T) {
	for _, options := range [][]string{
		{"components=3", "lambda=0.1"}, {"rho=1", "components=3"}, {"pca=2"}, {"normalise=robust"}, {"normalise=minmax", "blur=0"},
	} {
		if k := pipelinetest.Task(t, "ggm", append(options, "standardise=auto")...); k.Standardise != algorithm.Own {
			t.Errorf("%v: %s", options, k.Standardise)
		}
	}
	if k := pipelinetest.Task(t, "mtvae", "standardise=auto"); k.Standardise != algorithm.Own {
		t.Errorf("mtvae: %s", k.Standardise)
	}
}
