package task

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/consensus/graph"
	"github.com/collabdict/collabdict/consensus/session"
	"github.com/collabdict/collabdict/internal/dataset"
	"github.com/collabdict/collabdict/internal/model"
	"github.com/collabdict/collabdict/internal/report"
	"github.com/collabdict/collabdict/netsim"
)

func example() Task {
	return Task{
		Model: model.GGM, Components: 2, Rounds: 5, Tol: 1e-6, Lambda0: 1, Seed: 3,
		Standardise: Own, FalseAlarm: 0.01,
		Settings: consensus.Settings{Step: session.Chebyshev, Graph: graph.HamiltonCycles, Protect: chunking.Chunks},
	}
}

// rows draws n rows whose columns have the given means and deviations.
func rows(seed uint64, n int, mean, deviation []float64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 1))
	x := mat.NewDense(n, len(mean), nil)
	for i := range n {
		for j, m := range mean {
			x.Set(i, j, m+deviation[j]*rng.NormFloat64())
		}
	}
	return x
}

func TestValidateNamesTheField(t *testing.T) {
	if err := example().Validate(); err != nil {
		t.Fatal(err)
	}
	for field, change := range map[string]func(*Task){
		"model":       func(t *Task) { t.Model = "x" },
		"components":  func(t *Task) { t.Components = 0 },
		"rounds":      func(t *Task) { t.Rounds = -1 },
		"tol":         func(t *Task) { t.Tol = math.NaN() },
		"lambda0":     func(t *Task) { t.Lambda0 = 0 },
		"rho":         func(t *Task) { t.Rho = math.Inf(1) },
		"standardise": func(t *Task) { t.Standardise = "" },
		"false-alarm": func(t *Task) { t.FalseAlarm = 1 },
	} {
		k := example()
		change(&k)
		var e *Error
		if err := k.Validate(); !errors.As(err, &e) || e.Field != field {
			t.Errorf("got %v, want an error of %s", err, field)
		}
	}
}

func TestFieldsTellTasksApart(t *testing.T) {
	text := func(k Task, columns ...string) string {
		var b strings.Builder
		for _, f := range k.Fields(columns) {
			b.WriteString(f.Name + "=" + f.Value + "\n")
		}
		return b.String()
	}
	base := text(example(), "a", "b")
	for i, change := range []func(*Task){
		func(t *Task) { t.Components++ }, func(t *Task) { t.Rounds++ }, func(t *Task) { t.Tol *= 2 },
		func(t *Task) { t.Lambda0++ }, func(t *Task) { t.Rho++ }, func(t *Task) { t.Seed++ },
		func(t *Task) { t.Standardise = None }, func(t *Task) { t.FalseAlarm /= 2 },
		func(t *Task) { t.InitDigest = "x" }, func(t *Task) { t.Model = "x" },
	} {
		k := example()
		change(&k)
		if text(k, "a", "b") == base {
			t.Errorf("change %d is not in the fields", i)
		}
	}
	if text(example(), "a", "c") == base || text(example(), "a") == base {
		t.Error("other columns have the same fields")
	}
}

// Standardising by private sums gives what all rows in one place would, also for
// means far from zero and very different scales. What is learned of the rows on the
// way is true of them, in small groups and in large ones.
func TestGlobalScalingIsThatOfAllRows(t *testing.T) {
	mean, deviation := []float64{300, -2e6, 0.01, 5}, []float64{0.1, 30, 1e-5, 0}
	for _, size := range []int{3, 70} {
		const each = 20
		all := rows(1, each*size, mean, deviation)
		want, _, err := dataset.Own(dataset.InMemory(all))
		if err != nil {
			t.Fatal(err)
		}
		product := mat.NewDense(4, 4, nil)
		product.Mul(want.Apply(all).T(), want.Apply(all))
		k := example()
		k.Standardise = Global
		k.Settings.Scheme = consensus.Exact
		net, err := netsim.New(netsim.Config{Names: netsim.Names(size), Settings: k.Settings, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		_, err = net.Run(t.Context(),
			func(ctx context.Context, rank int, g collabdict.Group) error {
				own := all.Slice(each*rank, each*(rank+1), 0, 4).(*mat.Dense)
				got, constant, common, err := k.scaling(ctx, g, nil, dataset.InMemory(own))
				if err != nil {
					return err
				}
				if len(constant) != 1 || constant[0] != 3 {
					t.Errorf("constant columns %v, want the last", constant)
				}
				if common.Rows() != float64(each*size) {
					t.Errorf("%g rows, want %d", common.Rows(), each*size)
				}
				for j := range mean {
					if math.Abs(got.Shift[j]-want.Shift[j]) > 1e-3*want.Scale[j] || math.Abs(got.Scale[j]/want.Scale[j]-1) > 1e-3 {
						t.Errorf("column %d: shift %g scale %g, want %g and %g", j, got.Shift[j], got.Scale[j], want.Shift[j], want.Scale[j])
					}
					if j < 3 && math.Abs(common.Squares(j)/product.At(j, j)-1) > 2e-3 {
						t.Errorf("column %d: squares %g, want %g", j, common.Squares(j), product.At(j, j))
					}
				}
				return nil
			})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// changing are rows whose file changes.
type changing struct {
	dataset.Rows
	changed *atomic.Bool
}

func (c changing) ReadRows(x []float64, from int) error {
	if c.changed.Load() {
		return &dataset.Error{File: "a.csv", Msg: "the file changed"}
	}
	return c.Rows.ReadRows(x, from)
}

func TestAFileThatChangesIsToldOnce(t *testing.T) {
	k, at := example(), changing{dataset.InMemory(rows(1, 60, []float64{1, 2}, []float64{1, 1})), new(atomic.Bool)}
	k.Tol = 0
	p := dataset.Participant{Name: "a", Columns: []string{"x", "y"}, Train: at}
	_, err := k.Train(t.Context(), collabdict.Solo{}, p, func(Progress) { at.changed.Store(true) })
	if err == nil || err.Error() != "round 2: local update: a.csv: the file changed" {
		t.Errorf("got %v", err)
	}
	at.changed.Store(false)
	k.Rounds = 1
	_, err = k.Train(t.Context(), collabdict.Solo{}, p, func(Progress) { at.changed.Store(true) })
	if err == nil || err.Error() != "threshold: a.csv: the file changed" {
		t.Errorf("got %v", err)
	}
}

// failing is a group whose sums fail after some calls.
type failing struct {
	collabdict.Solo
	left int
}

var errLost = errors.New("lost plant-b")

func (f *failing) Sum(ctx context.Context, x []float64, blocks []collabdict.Block) ([]float64, error) {
	if f.left--; f.left < 0 {
		return nil, errLost
	}
	return f.Solo.Sum(ctx, x, blocks)
}

// A run that ends early leaves the model of the last round completed.
func TestTheLastGoodModelSurvivesAFailure(t *testing.T) {
	p := dataset.Participant{Name: "a", Columns: []string{"x", "y"}, Train: dataset.InMemory(rows(5, 60, []float64{0, 0}, []float64{1, 2}))}
	k := example()
	k.Tol = 0
	counting := &failing{left: 1 << 30}
	whole, err := k.Train(t.Context(), counting, p, nil)
	if err != nil || whole.Last.Number != 5 {
		t.Fatalf("%+v, %v", whole, err)
	}
	sums := 1<<30 - counting.left
	r, err := k.Train(t.Context(), &failing{left: sums - 2}, p, nil)
	if !errors.Is(err, errLost) || r.Model == nil || r.Last.Number != 3 || r.Model.Manifest.Rounds != 3 {
		t.Fatalf("after a failure in round 4: %+v, %v", r.Last, err)
	}
	if r.Model.Manifest.Rows != 60 || r.Model.Manifest.TotalRows != 60 || len(score(r.Model, p.Train.(dataset.Matrix).Dense)) != 60 {
		t.Errorf("the model is not usable: %+v", r.Model.Manifest)
	}
	r, err = k.Train(t.Context(), &failing{left: 0}, p, nil)
	if !errors.Is(err, errLost) || r.Model != nil {
		t.Errorf("without a completed round: %+v, %v", r, err)
	}
}

func TestWarnings(t *testing.T) {
	x := rows(5, 30, []float64{0, 7}, []float64{1, 0})
	for i := range 3 {
		x.Set(i, 0, 60) // a component of their own
	}
	k := example()
	k.Components = 4
	r, err := k.Train(t.Context(), collabdict.Solo{}, dataset.Participant{Name: "a", Columns: []string{"x", "stuck"}, Train: dataset.InMemory(x)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Join(r.Warnings, "\n")
	if !strings.Contains(all, "left unscaled: stuck") || !strings.Contains(all, "fewer than 5") {
		t.Errorf("warnings: %s", all)
	}
}

func TestEvaluateByKindOfLabel(t *testing.T) {
	x := rows(6, 50, []float64{0, 0}, []float64{1, 1})
	x.SetRow(0, []float64{9, -9})
	r, err := example().Train(t.Context(), collabdict.Solo{}, dataset.Participant{Name: "a", Columns: []string{"x", "y"}, Train: dataset.InMemory(rows(7, 50, []float64{0, 0}, []float64{1, 1}))}, nil)
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
	e, err := Evaluate(m, dataset.Participant{Test: dataset.InMemory(x), TestLabels: labels, ClassLabels: classes})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// score returns a model's scores of rows in the units of the data.
func score(m *model.Model, rows *mat.Dense) []float64 {
	scores, err := m.Scores(m.Trained(mat.DenseCopyOf(rows)))
	if err != nil {
		panic(err)
	}
	return scores
}
