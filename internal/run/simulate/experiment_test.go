package simulate

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/plants"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/run/pipeline"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/internal/testkit/pipelinetest"
	"github.com/collabdict/collabdict/model"
)

func example(tb testing.TB, standardise string) (*pipeline.Task, []dataset.Participant) {
	tb.Helper()
	t := pipelinetest.Task(tb, "ggm", "components=3", "rounds=30", "rho=1", "seed=2", "standardise="+standardise)
	return t, plants.Generate(plants.Spec{Participants: 4, Rows: 80, Columns: 4, Patterns: 3, TestRows: 100}, 2)
}

// With one component, whose weight cannot differ, learning together gives the model of the
// pooled rows.
func TestTogetherWithOneComponentIsPooled(t *testing.T) {
	for standardise, near := range map[string]float64{
		algorithm.Own:  1e-5,
		algorithm.None: 5e-5, // the rounding error is relative to a mean far from 0
	} {
		k, parts := example(t, standardise)
		set(t, k, "components", "1")
		run, err := Simulate(t.Context(), k, parts, nil)
		if err != nil {
			t.Fatal(err)
		}
		pooled, err := Pooled(t.Context(), k, parts)
		if err != nil {
			t.Fatal(err)
		}
		for i, m := range run.Models {
			for j, got := range score(m, dense(parts[i].Test)) {
				if want := score(pooled[i], dense(parts[i].Test))[j]; math.Abs(got-want) > near*math.Abs(want)+near {
					t.Fatalf("%s, %s, row %d: score %g together, %g pooled", standardise, parts[i].Name, j, got, want)
				}
			}
		}
	}
}

func TestSimulateFillsTheResult(t *testing.T) {
	k, parts := example(t, algorithm.Global)
	rounds := 0
	run, err := Simulate(t.Context(), k, parts, func(p Progress) { rounds = p.Number })
	if err != nil {
		t.Fatal(err)
	}
	r := run.Report
	if r.Rounds != rounds || r.SetupRounds == 0 || r.Clusters != 3 || r.Consensus.Iterations != r.Consensus.IterationsPredicted || r.BytesSent == 0 || r.Messages == 0 {
		t.Errorf("%+v", r)
	}
	if *r.Protection.BreachPredicted != 0 || r.Diversity == nil || !r.Loglik.Defined || !r.ROCAUC.Defined {
		t.Errorf("%+v", r)
	}
	for i, p := range r.Participants {
		if p.Digest != r.Participants[0].Digest || len(p.Digest) != 64 || p.LoglikRows != "all" || p.Rows != 80 {
			t.Errorf("participant %+v", p)
		}
		m := run.Models[i].Manifest
		if m.Digest != p.Digest || len(m.Views[0].Members) != 4 || m.Privacy.Protection.Mode != "chunks" {
			t.Errorf("manifest %+v", m)
		}
	}
	// With each row under its owner's model, and equal participants, this is the mean over the
	// participants of each model's figure on its own rows.
	var own float64
	for i, m := range run.Models {
		own += meanLogLik(m, m.Scaling.Apply(dense(parts[i].Train))) / 4
	}
	if math.Abs(own-r.Loglik.Value) > 1e-12*math.Abs(own) {
		t.Errorf("mean log-likelihood %g, want %g", r.Loglik.Value, own)
	}
}

func TestAloneUsesOwnRowsForEverything(t *testing.T) {
	k, parts := example(t, algorithm.Global)
	alone, err := Alone(t.Context(), k, parts)
	if err != nil {
		t.Fatal(err)
	}
	own, _, err := rows.Own(parts[1].Train)
	if err != nil {
		t.Fatal(err)
	}
	for j, v := range own.Scale {
		if math.Abs(alone[1].Scaling.Scale[j]-v) > 1e-9*v || alone[1].Manifest.TotalRows != 80 {
			t.Errorf("column %d: scale %g, want %g", j, alone[1].Scaling.Scale[j], v)
		}
	}
	s, err := Scores(alone[1], parts[1], parts[1:2])
	if err != nil {
		t.Fatal(err)
	}
	if want := meanLogLik(alone[1], own.Apply(dense(parts[1].Train))); math.Abs(s.Loglik.Value-want) > 1e-9 || !s.ROCAUC.Defined {
		t.Errorf("%+v, want a log-likelihood of %g", s, want)
	}
}

// If participants standardise their own rows, the pooled rows keep their owners' units.
func TestPooledKeepsEachOwnersUnits(t *testing.T) {
	k, parts := example(t, algorithm.Own)
	scaled := mat.DenseCopyOf(dense(parts[0].Train))
	scaled.Scale(1000, scaled)
	other := append([]dataset.Participant(nil), parts...)
	other[0].Train, other[0].Test = rows.InMemory(scaled), rows.InMemory(scaled)
	a, err := Pooled(t.Context(), k, parts)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Pooled(t.Context(), k, other)
	if err != nil {
		t.Fatal(err)
	}
	x, y := score(a[0], dense(parts[0].Train)), score(b[0], scaled)
	for i := range x {
		if math.Abs(x[i]-y[i]) > 1e-4*math.Abs(x[i]) { // steps end within a gap of their solution
			t.Fatalf("row %d: score %g, in other units %g", i, x[i], y[i])
		}
	}
}

func meanLogLik(m *model.Model, z *mat.Dense) float64 {
	v, _ := m.Scorer().MeanLogLik(gmm.Matrix(z))
	return v
}

func dense(of collabdict.Rows) *mat.Dense { return of.(rows.Matrix).Dense }

// score returns a model's scores of rows in the units of the data.
func score(m *model.Model, x *mat.Dense) []float64 {
	scores, err := m.Scores(m.Trained(mat.DenseCopyOf(x)))
	if err != nil {
		panic(err)
	}
	return scores
}

// All baselines measure a participant whose test rows have a class that nobody trains on.
func TestBaselinesOfClassifiers(t *testing.T) {
	parts := []dataset.Participant{{Name: "a"}, {Name: "b"}}
	for i := range parts {
		parts[i].Columns = []string{"x"}
		parts[i].Train = rows.InMemory(mat.NewDense(4, 1, []float64{-1, 1, -2, 2}))
		parts[i].Test, parts[i].TrainLabels, parts[i].TestLabels = parts[i].Train, []float64{0, 1, 0, 1}, []float64{0, float64(1 + i), 0, 1}
	}
	k := pipelinetest.Task(t, "cgau", "rounds=1", "local-steps=1", "hidden=2", "batch=4", "dropout=0", "standardise=none", "false-alarm=0.1")
	r := &report.Run{Participants: make([]report.Participant, 2)}
	if err := AddBaselines(t.Context(), r, k, []string{BaselineAlone, BaselinePooled}, parts, nil); err != nil {
		t.Fatal(err)
	}
	for i, p := range r.Participants {
		if b := p.Baselines; !b.Alone.Accuracy.Defined || !b.Pooled.Accuracy.Defined {
			t.Errorf("participant %d: got %+v and %+v", i, b.Alone, b.Pooled)
		}
	}
}

// set changes an option of a complete task.
func set(t *testing.T, k *pipeline.Task, name, text string) {
	t.Helper()
	if err := k.Options.Set(name, text); err != nil {
		t.Fatal(err)
	}
}
