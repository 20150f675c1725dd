package pipeline

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/privacy"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/internal/testkit/algorithmtest"
	"github.com/collabdict/collabdict/internal/testkit/lockstep"
	"github.com/collabdict/collabdict/model"
	"github.com/collabdict/collabdict/netsim"
)

// changing holds rows of a file that changes.
type changing struct {
	collabdict.Rows
	changed *atomic.Bool
}

func (c changing) ReadRows(x []float64, from int) error {
	if c.changed.Load() {
		return &dataset.Error{File: "a.csv", Msg: "the file changed"}
	}
	return c.Rows.ReadRows(x, from)
}

func TestAFileThatChangesIsReportedOnce(t *testing.T) {
	at := changing{rows.InMemory(algorithmtest.Draw(1, 60, []float64{1, 2}, []float64{1, 1})), new(atomic.Bool)}
	p := dataset.Participant{Name: "a", Columns: []string{"x", "y"}, Train: at}
	for _, c := range []struct{ rounds, want string }{
		{"rounds=5", "round 2: local update: a.csv: the file changed"},
		{"rounds=1", "threshold: a.csv: the file changed"},
	} {
		at.changed.Store(false)
		_, err := example(t, "tol=0", c.rounds).Fit(t.Context(), collabdict.Solo{}, p, nil, func(algorithm.Progress) { at.changed.Store(true) })
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: got %v, want %s", c.rounds, err, c.want)
		}
	}
}

// A trained result has no local part and no threshold before it is complete. Then it is that of Fit.
func TestTrainingIsCompletedApart(t *testing.T) {
	x := algorithmtest.Draw(5, 60, []float64{0, 0}, []float64{1, 2})
	p := dataset.Participant{Name: "a", Columns: []string{"x", "y"}, Train: rows.InMemory(x)}
	k := example(t, "rounds=2")
	k.HoldOut = 0.2
	whole, err := k.Fit(t.Context(), collabdict.Solo{}, p, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := k.Train(t.Context(), collabdict.Solo{}, p, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if m := r.Model; m.Local != nil || m.Manifest.HeldOut != nil || m.Manifest.Threshold != 0 {
		t.Errorf("trained: local part %v, held-out rows %v, threshold %g, want none", m.Local, m.Manifest.HeldOut, m.Manifest.Threshold)
	}
	for range 2 { // the second call changes nothing
		if err := r.Complete(t.Context()); err != nil {
			t.Fatal(err)
		}
		got, want := r.Model, whole.Model
		if got.Local == nil || got.Local.BlendThreshold != want.Local.BlendThreshold || got.Manifest.Threshold != want.Manifest.Threshold ||
			!slices.Equal(got.Manifest.Warnings, want.Manifest.Warnings) {
			t.Errorf("complete: %+v, want %+v", got.Manifest, want.Manifest)
		}
	}
}

// A run that ends early leaves the model of the last round completed.
func TestTheLastGoodModelSurvivesAFailure(t *testing.T) {
	x := algorithmtest.Draw(5, 60, []float64{0, 0}, []float64{1, 2})
	p := dataset.Participant{Name: "a", Columns: []string{"x", "y"}, Train: rows.InMemory(x)}
	k := example(t, "tol=0")
	counting := &algorithmtest.Failing{Left: 1 << 30}
	whole, err := k.Fit(t.Context(), counting, p, nil, nil)
	if err != nil || whole.Last.Number != 5 {
		t.Fatalf("%+v, %v", whole, err)
	}
	sums := 1<<30 - counting.Left
	r, err := k.Fit(t.Context(), &algorithmtest.Failing{Left: sums - 2}, p, nil, nil)
	if !errors.Is(err, algorithmtest.ErrLost) || r.Model == nil || r.Last.Number != 3 || r.Model.Manifest.Rounds != 3 {
		t.Fatalf("after a failure in round 4: %+v, %v", r.Last, err)
	}
	if r.Model.Manifest.Rows != 60 || r.Model.Manifest.TotalRows != 60 || len(score(t, r.Model, x)) != 60 {
		t.Errorf("the model is not usable: %+v", r.Model.Manifest)
	}
	r, err = k.Fit(t.Context(), &algorithmtest.Failing{}, p, nil, nil)
	if !errors.Is(err, algorithmtest.ErrLost) || r.Model != nil {
		t.Errorf("without a completed round: %+v, %v", r, err)
	}
}

func TestWarnings(t *testing.T) {
	x := algorithmtest.Draw(5, 30, []float64{0, 7}, []float64{1, 0})
	for i := range 3 {
		x.Set(i, 0, 60) // a component of their own
	}
	p := dataset.Participant{Name: "a", Columns: []string{"x", "stuck"}, Train: rows.InMemory(x)}
	r, err := example(t, "components=4").Fit(t.Context(), collabdict.Solo{}, p, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Join(r.Warnings, "\n")
	if !strings.Contains(all, "not scaled: stuck") {
		t.Errorf("warnings: %s", all)
	}
}

// A single row that stands out counts as one row, however many windows hold it.
func TestOneRowInAllItsWindowsIsOneRow(t *testing.T) {
	const window = 20
	var parts []dataset.Participant
	for s := range 3 {
		x := algorithmtest.Draw(uint64(5+s), 200, []float64{0}, []float64{1})
		if s == 0 {
			x.Set(100, 0, 1000)
		}
		parts = append(parts, dataset.Participant{Name: netsim.Names(3)[s], Columns: []string{"x"}, Train: rows.InMemory(x)})
	}
	parts = dataset.Window(parts, window)
	for kind, options := range map[string][]string{"ggm": {"standardise=global"}, "dem": {"standardise=global", "blur=0", "covariance=full"}} {
		k := small(t, kind, append(options, "window=20")...)
		r := together(t, lockstep.Run, k, parts)[0]
		if d := math.Exp(r.Model.Manifest.Privacy.LeastDiversity.Value); d > 1.1 {
			t.Errorf("%s: the manifest has a part of %g rows, want 1", kind, d)
		}
		k = small(t, kind, append(options, "window=20", "on-low-diversity=stop")...)
		if got := k.Traits().LeastRows; got != 5*window {
			t.Errorf("%s: got at least %d training rows, want %d", kind, got, 5*window)
		}
		err := lockstep.Run(t.Context(), len(parts), func(ctx context.Context, g collabdict.Group, s int) error {
			_, err := k.Fit(ctx, g, parts[s], rand.NewPCG(7, uint64(s)), nil)
			return err
		})
		var low *privacy.LowError
		if !errors.As(err, &low) || low.Largest < 0.5 {
			t.Errorf("%s: got %v, want a run that stops because of one row", kind, err)
		}
	}
}

func TestEvaluateByKindOfLabel(t *testing.T) {
	x := algorithmtest.Draw(6, 50, []float64{0, 0}, []float64{1, 1})
	x.SetRow(0, []float64{9, -9})
	p := dataset.Participant{Name: "a", Columns: []string{"x", "y"}, Train: rows.InMemory(algorithmtest.Draw(7, 50, []float64{0, 0}, []float64{1, 1}))}
	r, err := example(t).Fit(t.Context(), collabdict.Solo{}, p, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	labels := make([]float64, 50)
	labels[0], labels[1] = 1, -1
	if e := evaluate(t, r.Model, x, labels, false); e.ROCAUC.Value != 1 || e.PRAUC.Value != 1 || e.ARI.Applies || e.Rows != 50 || !e.Loglik.Defined {
		t.Errorf("anomaly labels: %+v", e)
	}
	labels[0] = 0
	if e := evaluate(t, r.Model, x, labels, false); !e.ROCAUC.Applies || e.ROCAUC.Defined {
		t.Errorf("one class alone: %+v", e)
	}
	if e := evaluate(t, r.Model, x, labels, true); e.ROCAUC.Applies || !e.ARI.Defined {
		t.Errorf("classes: %+v", e)
	}
	if e := evaluate(t, r.Model, x, nil, false); e.ROCAUC.Applies || e.ARI.Applies {
		t.Errorf("no labels: %+v", e)
	}
}

func evaluate(t *testing.T, m *model.Model, x *mat.Dense, labels []float64, classes bool) report.Evaluation {
	t.Helper()
	e, err := Evaluate(m, dataset.Participant{Test: rows.InMemory(x), TestLabels: labels, ClassLabels: classes})
	if err != nil {
		t.Fatal(err)
	}
	return e
}
