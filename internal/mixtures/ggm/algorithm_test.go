package ggm_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/mixtures/ggm"
	"github.com/collabdict/collabdict/internal/testkit"
	"github.com/collabdict/collabdict/internal/testkit/algorithmtest"
	"github.com/collabdict/collabdict/internal/testkit/lockstep"
)

func TestSettings(t *testing.T) {
	algorithmtest.Check(t, ggm.Kind)
	algorithmtest.Check(t, ggm.Kind, "components=3", "rounds=7", "tol=0", "rho=0.5", "lambda0=2")
	for setting, want := range map[string]string{
		"components=-1": "components=-1",
		"rounds=-1":     "rounds=-1",
		"tol=NaN":       "tol=NaN",
		"lambda0=0":     "lambda0=0",
		"rho=0":         "rho=0",
		"rho=Inf":       "rho=+Inf",
	} {
		_, err := algorithmtest.Make(ggm.Kind, algorithm.Coordinates{}, setting)
		if got := algorithmtest.Fault(err); got != want {
			t.Errorf("%s: got %s, want %s: %v", setting, got, want, err)
		}
	}
}

// The start gives the number of components, unless that is given, too.
func TestInit(t *testing.T) {
	start := []byte(`{"means":[[0,1],[2,0]],"precisions":[[[1,0],[0,1]],[[1,0],[0,1]]],"weights":[0.5,0.5]}`)
	of := func(settings ...string) (*ggm.Algorithm, error) {
		a := ggm.Kind.New()
		table := a.Options()
		for _, s := range append(settings, "init=start.json") {
			name, value, _ := strings.Cut(s, "=")
			if err := table.Set(name, value); err != nil {
				t.Fatal(err)
			}
		}
		if err := table.Find("init").Load(start); err != nil {
			t.Fatal(err)
		}
		if err := table.Complete(); err != nil {
			t.Fatal(err)
		}
		return a.(*ggm.Algorithm), a.Prepare(algorithm.Coordinates{})
	}
	a, err := of()
	if err != nil || a.Components != 2 || len(a.Init.Digest) != 64 {
		t.Fatalf("%+v, %v", a, err)
	}
	if _, err := of("components=3"); algorithmtest.Fault(err) != "init" {
		t.Errorf("got %v", err)
	}
	out := algorithmtest.Train(t, lockstep.Run, a, algorithmtest.Data(1, testkit.Patterns(50, 2, 2, 1), testkit.Patterns(50, 2, 2, 2)))
	if k := out[0].Model.(algorithm.Assigner).Components(); k != 2 {
		t.Errorf("got %d components", k)
	}
}

// Members have the same patterns, whether or not they share their computations. A written model can
// be read again.
func TestAlgorithm(t *testing.T) {
	data := algorithmtest.Data(3, testkit.Patterns(80, 3, 2, 1), testkit.Patterns(60, 3, 2, 2))
	var means []float64
	for _, together := range []bool{false, true} {
		a := algorithmtest.New(t, ggm.Kind, "components=2", "lambda=0.1", "rounds=5", "tol=0")
		if together {
			if err := a.(algorithm.InOneProcess).Together(3, nil); err != nil {
				t.Fatal(err)
			}
		}
		out := algorithmtest.Train(t, lockstep.Run, a, data)
		for s, o := range out {
			own := o.Model.(algorithm.Dictionary).Means().RawMatrix().Data
			if means == nil {
				means = own
			}
			if !testkit.SameBits(own, means) || o.Last.Number != 5 || o.TotalRows != 140 {
				t.Errorf("member %d: %+v", s, o)
			}
			algorithmtest.Loaded(t, a, o.Model, data[s].Rows)
		}
	}
}

// failing is a group whose sums fail after some calls.
type failing struct {
	collabdict.Solo
	left int
}

var errLost = errors.New("lost plant-b")

func (f *failing) Sum(ctx context.Context, s collabdict.Summand) ([]float64, error) {
	if f.left--; f.left < 0 {
		return nil, errLost
	}
	return f.Solo.Sum(ctx, s)
}

// A training that ends early leaves the model of the last completed round.
func TestTheLastGoodModelSurvivesAFailure(t *testing.T) {
	a := algorithmtest.New(t, ggm.Kind, "components=2", "lambda=0.1", "rounds=5", "tol=0")
	d, told := algorithmtest.Data(3, testkit.Patterns(60, 2, 2, 1))[0], 0
	after := func(algorithm.Progress) { told++ }
	counting := &failing{left: 1 << 30}
	if out, err := a.Learn(t.Context(), counting, d, after); err != nil || out.Last.Number != 5 || told != 5 {
		t.Fatalf("%+v, %v", out, err)
	}
	out, err := a.Learn(t.Context(), &failing{left: 1<<30 - counting.left - 2}, d, after)
	if !errors.Is(err, errLost) || out.Model == nil || out.Last.Number != 3 || out.TotalRows != 60 {
		t.Errorf("after a failure in round 4: %+v, %v", out, err)
	}
	if out, err = a.Learn(t.Context(), &failing{}, d, after); !errors.Is(err, errLost) || out.Model != nil {
		t.Errorf("without a completed round: %+v, %v", out, err)
	}
}

// One row in forty has the second of two values in a column. Such a row is no more surprising than a value
// that is three deviations off, while values between others stay as surprising as they are rare.
func TestARareValueOfACoarseColumnIsNotImpossible(t *testing.T) {
	x := algorithmtest.Draw(4, 400, []float64{0, 0, 0}, []float64{1, 1, 1})
	for i := range 400 {
		x.Set(i, 2, 0)
		if i%40 == 3 {
			x.Set(i, 2, 6.4)
		}
	}
	for _, options := range [][]string{{"components=1", "lambda=0.1"}, {"components=4", "lambda=0.01"}} {
		a := algorithmtest.New(t, ggm.Kind, options...)
		out, err := a.Learn(t.Context(), collabdict.Solo{}, algorithm.Data{Rows: gmm.Matrix(x), Seed: 1}, func(algorithm.Progress) {})
		if err != nil {
			t.Fatal(err)
		}
		m := out.Model.(*gmm.Mixture)
		usual := m.LogDensity([]float64{0, 0, 0})
		if rare := usual - m.LogDensity([]float64{0, 0, 6.4}); !(rare > 2 && rare < 8) {
			t.Errorf("%v: the rare value lowers ln p by %.3g, want 2 to 8", options, rare)
		}
		if far := usual - m.LogDensity([]float64{6.4, 0, 0}); !(far > 12) {
			t.Errorf("%v: a value far out lowers ln p by %.3g, want more than 12", options, far)
		}
	}
}

// A member gets a warning about components that have only its rows, by their numbers in the
// model; other members, and a participant that learns alone, do not.
func TestComponentsOfOneMember(t *testing.T) {
	common := func(seed uint64) *mat.Dense { return algorithmtest.Draw(seed, 60, []float64{0, 0}, []float64{1, 1}) }
	own := mat.NewDense(90, 2, nil)
	own.Stack(common(1), algorithmtest.Draw(4, 30, []float64{40, -40}, []float64{1, 1}))
	data := algorithmtest.Data(1, own, common(2), common(3))
	for _, settings := range [][]string{{"components=2", "lambda=0.1"}, {"components=2", "rho=1"}, {"components=2-3", "lambda=0.1"}} {
		outcomes := algorithmtest.Train(t, lockstep.Run, algorithmtest.New(t, ggm.Kind, settings...), data)
		far := slices.IndexFunc(outcomes[0].Model.(algorithm.Dictionary).Weights(), func(w float64) bool { return w < 0.5 })
		want := fmt.Sprintf(": %d;", far+1)
		for rank, o := range outcomes {
			lone := slices.DeleteFunc(o.Warnings, func(w string) bool { return !strings.Contains(w, "only your rows") })
			if rank > 0 && len(lone) > 0 || rank == 0 && settings[0] == "components=2" && (len(lone) != 1 || !strings.Contains(lone[0], want)) {
				t.Errorf("%v: member %d: %q, want %q of the first", settings, rank, lone, want)
			}
			if rank == 0 && len(lone) == 0 {
				t.Errorf("%v: the member with rows of its own gets no warning", settings)
			}
		}
	}
	alone := algorithmtest.Train(t, lockstep.Run, algorithmtest.New(t, ggm.Kind, "components=2", "lambda=0.1"), data[:1])[0]
	if w := strings.Join(alone.Warnings, "\n"); strings.Contains(w, "only your rows") {
		t.Error(w)
	}
}

// If no component has an edge, a warning says so and names the penalty that is too large.
func TestNoEdges(t *testing.T) {
	x := func(seed uint64) *mat.Dense { // columns with a correlation of one half
		x := algorithmtest.Draw(seed, 60, []float64{0, 0}, []float64{1, 1})
		for i := range 60 {
			x.Set(i, 1, 0.5*x.At(i, 0)+0.87*x.At(i, 1))
		}
		return x
	}
	data := algorithmtest.Data(1, x(1), x(2), x(3))
	for setting, want := range map[string]string{
		"lambda=0.9": "no edges between columns at lambda 0.9: ",
		"rho=500":    "no edges between columns at rho 500: ",
		"lambda=0.1": "",
	} {
		for _, o := range algorithmtest.Train(t, lockstep.Run, algorithmtest.New(t, ggm.Kind, "components=1", setting), data) {
			got := ""
			for _, w := range o.Warnings {
				if strings.HasPrefix(w, "no edges") {
					got = w
				}
			}
			if (want == "") != (got == "") || !strings.HasPrefix(got, want) {
				t.Errorf("%s: %q, want %q", setting, got, want)
			}
		}
	}
	one := algorithmtest.Data(1, algorithmtest.Draw(1, 60, []float64{0}, []float64{1}), algorithmtest.Draw(2, 60, []float64{0}, []float64{1}))
	if o := algorithmtest.Train(t, lockstep.Run, algorithmtest.New(t, ggm.Kind, "components=1", "lambda=0.9"), one); len(o[0].Warnings) > 0 {
		t.Errorf("of one column: %q", o[0].Warnings)
	}
}
